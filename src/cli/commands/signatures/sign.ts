import { randomUUID } from 'node:crypto';
import { DEFAULT_PORT } from '../../../config/settings.js';
import type { RequestScheme, SignedRequest } from '../../../signing/request.js';
import { DEFAULT_REQUEST_SCHEME, signRequest } from '../../../signing/request.js';
import { signWebhook } from '../../../signing/webhook.js';
import { redactUrl } from '../../../text/redaction.js';
import { type CurlBody, createCurlCommand } from '../../../text/shell/curl.js';
import type { ShellWord } from '../../../text/shell/words.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { createUsageError } from '../../program/errors.js';
import { readBytes, STDIN, checkStdinOnce } from '../../program/input-bytes.js';
import { getUnixSeconds } from '../../program/options.js';
import type { Io } from '../../program/io.js';
import type { FoundSecret } from '../../signatures/secrets.js';
import {
  queryRunningSandbox,
  findSigningSecret,
  findWebhookSecrets,
  fetchRequestScheme,
} from '../../signatures/secrets.js';
import { formatFacts, toOneLine } from '../../terminal/text.js';
import type { SIGN_COMMANDS } from '../../declarations/signatures.js';

const CONTENT_TYPE = 'content-type: application/json';
/** Linux allows 128 KiB per argument, and other systems little more in total. */
const LONGEST_ARGUMENT = 100_000;
const DEFAULT_ORIGIN = `http://127.0.0.1:${DEFAULT_PORT}`;

type Request = InvocationOf<typeof SIGN_COMMANDS.request>;

export const sign: { readonly [Verb in keyof typeof SIGN_COMMANDS]: BodyOf<(typeof SIGN_COMMANDS)[Verb]> } = {
  /** Prints the headers of a webhook, or a complete curl command (§5.5). */
  webhook: async (invocation) => {
    const { io, args, options } = invocation;
    const { file = STDIN } = args;
    checkStdinOnce({ 'the body': file, '--secret-file': options.secretFile });
    const url = options.curl;
    if (url !== undefined && !/^https?:\/\/[^/?#\s]\S*$/i.test(url)) {
      throw createUsageError(
        `--curl must be the URL of a webhook receiver; got ${redactUrl(url)}.`,
        'For example: --curl http://localhost:3000/webhooks',
      );
    }
    const timestampS = options.timestamp ?? getUnixSeconds();
    const body = await readBytes(io, file);
    if (body.length === 0) {
      throw createUsageError(
        `Expected a body, got no bytes from ${file === STDIN ? 'stdin' : file}.`,
        'Pass a file with the raw body, or pipe the body in: `… < body.json`.',
      );
    }
    const secrets = (await findWebhookSecrets(invocation)).map(({ secret }) => secret);
    const id = options.id ?? `msg_${randomUUID().replaceAll('-', '')}`;
    const headers = orUsage(() => signWebhook({ id, timestampS, body, secrets }));
    const lines = headerLines(headers);
    const sent = { method: 'POST', headers: [CONTENT_TYPE, ...lines] };
    const curl =
      url === undefined ? undefined : createCurlCommand({ ...sent, url, body: curlBody(file, body) });
    io.emit({ headers, curl });
    io.say(curl ?? lines.join('\n'));
  },
  /** Prints the headers of a request and the signed string, or a complete curl command (§5.2). */
  request: async (invocation) => {
    const { io, args, options } = invocation;
    const { method, 'path-or-url': place, file } = args;
    const { nonce } = options;
    checkStdinOnce({ 'the body': file, '--secret-file': options.secretFile });
    const { origin, target } = parseTarget(place);
    const timestampS = options.timestamp ?? getUnixSeconds();
    const body = file === undefined ? Buffer.alloc(0) : await readBytes(io, file);
    const found = await findSigningSecret(invocation);
    const { secret } = found;
    const scheme = (await queryRunningSandbox(invocation, fetchRequestScheme)) ?? DEFAULT_REQUEST_SCHEME;
    const signed = orUsage(() =>
      signRequest({ method: method.toUpperCase(), target, body, secret, timestampS, scheme, nonce }),
    );
    const { headers, canonical, parts } = signed;
    const curl = options.curl
      ? createCurlCommand({
          method: parts.method,
          url: (origin ?? (await serviceOrigin(invocation))) + target,
          headers: [
            await bearerHeader(invocation),
            ...(file === undefined ? [] : [CONTENT_TYPE]),
            ...headerLines(headers),
          ],
          body: file === undefined ? undefined : curlBody(file, body),
        })
      : undefined;
    io.emit({ headers, canonical, parts, scheme, curl });
    io.say(curl ?? headerLines(headers).join('\n'));
    if (!io.json) explain(io, signed, found, scheme, body.length);
  },
};

/** Prints the signed string to stderr, so that stdout can be piped. */
function explain(
  io: Io,
  { canonical, parts }: SignedRequest,
  { secret, source }: FoundSecret,
  scheme: RequestScheme,
  bodyLength: number,
): void {
  io.note(`\nsigned with the secret of ${source}, over timestamp.nonce.METHOD.path.sha256(body):\n`);
  io.note(`${toOneLine(canonical, 0)}\n`);
  io.note(
    formatFacts(io, [
      ['timestamp', parts.timestamp],
      ['nonce', parts.nonce],
      ['METHOD', parts.method],
      ['path', parts.path],
      ['sha256(body)', `${parts.digest} (${scheme.digestEncoding}, ${bodyLength} bytes)`],
      ['x-signature', `HMAC-SHA256 of the signed string, in ${scheme.signatureEncoding}`],
    ]),
  );
  if (!secret.startsWith('whsec_')) return;
  io.note(
    `\n${io.colors.yellow('warning')} This is a webhook secret; sign requests with the ` +
      'application’s signing secret.',
  );
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function curlBody(file: string, bytes: Buffer): CurlBody {
  if (file !== STDIN) return { file };
  if (bytes.length <= LONGEST_ARGUMENT) return { bytes };
  throw createUsageError(
    `A body of ${bytes.length} bytes is too long for a command line.`,
    'Pass the body as a file, which the command can then reference.',
  );
}

/** Converts a RangeError of the signer into a usage error. */
function orUsage<Signed>(sign: () => Signed): Signed {
  try {
    return sign();
  } catch (error) {
    if (error instanceof RangeError) throw createUsageError(error.message);
    throw error;
  }
}

/** Splits a path or URL. Preserves the request target exactly, because the signature covers its bytes. */
function parseTarget(text: string) {
  const [, origin, rest = ''] = /^(https?:\/\/[^/?#\s]+)([^#]*)/i.exec(text) ?? [];
  const target = origin === undefined ? text : rest.startsWith('/') ? rest : `/${rest}`;
  if (/^\/[\x21-\x7e]*$/.test(target) && !target.includes('#')) return { origin, target };
  const path = target.startsWith('/') ? target : `/${target}`;
  const encoded = path.replaceAll(/[^\x21-\x7e]|#/gu, encodeURIComponent);
  throw createUsageError(
    `Expected a percent-encoded path that begins with /, or a URL; got ${text}.`,
    `Use ${origin ?? ''}${encoded}`,
  );
}

/** Returns the origin of the payments API: `--url`, SANDBOX_BASE_URL, the running sandbox, or the default. */
async function serviceOrigin(invocation: Request): Promise<string> {
  const { io, options } = invocation;
  const chosen = options.url ?? io.env.SANDBOX_BASE_URL;
  const origin =
    chosen || (await queryRunningSandbox(invocation, ({ url }) => Promise.resolve(url))) || DEFAULT_ORIGIN;
  return origin.replace(/(?<!\/)\/+$/, '');
}

/**
 * Returns the Authorization header for a shell, with `--token`, a reference to SANDBOX_TOKEN (whose value is
 * not printed), or the running sandbox's token.
 */
async function bearerHeader(invocation: Request): Promise<ShellWord> {
  const { io, options } = invocation;
  const isInEnvironment = Boolean(io.env.SANDBOX_TOKEN);
  const token =
    options.token ??
    (isInEnvironment
      ? undefined
      : (await queryRunningSandbox(invocation, (client) => client.get('env')))?.SANDBOX_TOKEN);
  return token === undefined
    ? { shell: '"authorization: Bearer $SANDBOX_TOKEN"' }
    : `authorization: Bearer ${token}`;
}

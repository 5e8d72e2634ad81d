import { randomUUID } from 'node:crypto';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import type { RequestScheme, SignedRequest } from '../../../signing/request.js';
import { signRequest } from '../../../signing/request.js';
import { signWebhook } from '../../../signing/webhook.js';
import { usageError } from '../../program/errors.js';
import { readBytes, STDIN, stdinOnce } from '../../program/input-bytes.js';
import { presentS } from '../../program/instants.js';
import type { BodyOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { facts } from '../../terminal/facts.js';
import type { CurlBody } from '../../../text/shell/curl.js';
import { curlCommand } from '../../../text/shell/curl.js';
import {
  bearerHeader,
  parseTarget,
  runningScheme,
  serviceOrigin,
} from '../../signatures/request-surroundings.js';
import type { FoundSecret } from '../../signatures/secrets.js';
import { findSigningSecret, findWebhookSecrets } from '../../signatures/secrets.js';
import { oneLine } from '../../terminal/text.js';
import type * as declared from './command.js';

const CONTENT_TYPE = 'content-type: application/json';
/** Linux takes 128 KiB in one argument, and other systems take little more in all. */
const LONGEST_ARGUMENT = 100_000;

/** `sandbox sign webhook`: the headers of a webhook, or the whole command that sends it (§5.5). */
export const webhook: BodyOf<typeof declared.webhook> = async (invocation) => {
  const { io, args, options } = invocation;
  const { file = STDIN } = args;
  stdinOnce({ 'the body': file, '--secret-file': options.secretFile });
  const url = webhookUrl(options.curl);
  const timestampS = options.timestamp ?? presentS();
  const body = await eventIn(io, file);
  const found = await findWebhookSecrets(invocation);
  const headers = orUsage(() =>
    signWebhook({
      id: options.id ?? `msg_${randomUUID().replaceAll('-', '')}`,
      timestampS,
      body,
      secrets: found.map(({ secret }) => secret),
    }),
  );
  const lines = headerLines(headers);
  const sent = { method: 'POST', headers: [CONTENT_TYPE, ...lines] };
  const curl = url === undefined ? undefined : curlCommand({ ...sent, url, body: curlBody(file, body) });
  io.emit({ headers, curl });
  io.say(curl ?? lines.join('\n'));
};

/** The bytes of an event, which is never empty. */
async function eventIn(io: Io, file: string): Promise<Buffer> {
  const body = await readBytes(io, file);
  if (body.length > 0) return body;
  throw usageError(
    `Expected a body, got no bytes from ${file === STDIN ? 'stdin' : file}.`,
    'Name a file with the raw body, or pipe it in: `… < body.json`.',
  );
}

/** `sandbox sign request`: the headers of a request, the string that is signed, or the whole command (§5.2). */
export const request: BodyOf<typeof declared.request> = async (invocation) => {
  const { io, args, options } = invocation;
  const { method, 'path-or-url': place, file } = args;
  stdinOnce({ 'the body': file, '--secret-file': options.secretFile });
  const { origin, target } = parseTarget(place);
  const timestampS = options.timestamp ?? presentS();
  const body = file === undefined ? Buffer.alloc(0) : await readBytes(io, file);
  const found = await findSigningSecret(invocation);
  const scheme = await runningScheme(invocation);
  const { nonce } = options;
  const signed = orUsage(() =>
    signRequest({
      method: method.toUpperCase(),
      target,
      body,
      secret: found.secret,
      timestampS,
      scheme,
      nonce,
    }),
  );
  const curl = options.curl
    ? curlCommand({
        method: signed.parts.method,
        url: (origin ?? (await serviceOrigin(invocation))) + target,
        headers: [
          await bearerHeader(invocation),
          ...(file === undefined ? [] : [CONTENT_TYPE]),
          ...headerLines(signed.headers),
        ],
        body: file === undefined ? undefined : curlBody(file, body),
      })
    : undefined;
  const { headers, canonical, parts } = signed;
  io.emit({ headers, canonical, parts, scheme, curl });
  io.say(curl ?? headerLines(headers).join('\n'));
  if (!io.json) explain(io, signed, found, scheme, body.length);
};

/** Prints what was signed on stderr, so that stdout can be piped. */
function explain(
  io: Io,
  { canonical, parts }: SignedRequest,
  { secret, source }: FoundSecret,
  scheme: RequestScheme,
  bodyLength: number,
): void {
  io.note(`\nsigned with the secret of ${source}, over timestamp.nonce.METHOD.path.sha256(body):\n`);
  io.note(`${oneLine(canonical, 0)}\n`);
  io.note(
    facts(io, [
      ['timestamp', parts.timestamp],
      ['nonce', parts.nonce],
      ['METHOD', parts.method],
      ['path', parts.path],
      ['sha256(body)', `${parts.digest} (${scheme.digestEncoding}, ${bodyLength} bytes)`],
      ['x-signature', `HMAC-SHA256 of it in ${scheme.signatureEncoding}`],
    ]),
  );
  if (!secret.startsWith('whsec_')) return;
  io.note(
    `\n${io.colour.yellow('warning')} This is a webhook secret; requests are signed with the signing secret of the application.`,
  );
}

function webhookUrl(text: string | undefined): string | undefined {
  if (text === undefined || /^https?:\/\/[^/?#\s]\S*$/i.test(text)) return text;
  throw usageError(
    `--curl takes the URL that receives webhooks; got ${withoutUrlSecrets(text)}.`,
    'Write --curl http://localhost:3000/webhooks.',
  );
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function curlBody(file: string, bytes: Buffer): CurlBody {
  if (file !== STDIN) return { file };
  if (bytes.length <= LONGEST_ARGUMENT) return { bytes };
  throw usageError(
    `A body of ${bytes.length} bytes is too long for a command line.`,
    'Give the body as a file; the command then names the file.',
  );
}

/** Turns what the signer refuses into a usage error. */
function orUsage<Signed>(sign: () => Signed): Signed {
  try {
    return sign();
  } catch (error) {
    if (error instanceof RangeError) throw usageError(error.message);
    throw error;
  }
}

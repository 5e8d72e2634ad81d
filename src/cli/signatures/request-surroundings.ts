import type { ControlClient } from '../../client/control.js';
import type { RequestScheme } from '../../signing/request.js';
import { assumedScheme } from '../../contract/request-scheme.js';
import { DEFAULT_REQUEST_SCHEME } from '../../signing/request.js';
import { usageError } from '../program/errors.js';
import type { Seeker } from '../sandbox/find-sandbox.js';
import type { Word } from '../../text/shell/words.js';
import { askRunningSandbox } from './secrets.js';

const DEFAULT_ORIGIN = 'http://127.0.0.1:7490';

/** The target and the origin, if given, of a path or a URL; the target as typed, because the signature covers those bytes. */
export function parseTarget(text: string) {
  const [, origin, rest = ''] = /^(https?:\/\/[^/?#\s]+)([^#]*)/i.exec(text) ?? [];
  const target = origin === undefined ? text : rest.startsWith('/') ? rest : `/${rest}`;
  if (/^\/[\x21-\x7e]*$/.test(target) && !target.includes('#')) return { origin, target };
  const path = target.startsWith('/') ? target : `/${target}`;
  const encoded = path.replaceAll(/[^\x21-\x7e]|#/gu, encodeURIComponent);
  throw usageError(
    `Expected a path that begins with / and is percent-encoded, or a URL; got ${text}.`,
    `Write ${origin ?? ''}${encoded}`,
  );
}

/** The signature scheme that a sandbox assumes. */
export async function schemeOf(client: ControlClient): Promise<RequestScheme> {
  const { data } = await client.get('assumptions');
  return assumedScheme((id) => data.find((assumption) => assumption.id === id)?.value);
}

/** That of the running sandbox; the default if none runs. */
export async function runningScheme(invocation: Seeker): Promise<RequestScheme> {
  return (await askRunningSandbox(invocation, schemeOf)) ?? DEFAULT_REQUEST_SCHEME;
}

/** The origin of the payments API: `--url`, SANDBOX_BASE_URL, the running sandbox, or where one starts by default. */
export async function serviceOrigin(invocation: Seeker): Promise<string> {
  const { io, options } = invocation;
  const chosen = options.url ?? io.env.SANDBOX_BASE_URL;
  const origin =
    chosen || (await askRunningSandbox(invocation, ({ url }) => Promise.resolve(url))) || DEFAULT_ORIGIN;
  return origin.replace(/(?<!\/)\/+$/, '');
}

/**
 * The Authorization header for a shell: `--token`, or the token of the running sandbox; from the environment the name of the
 * variable, so that its value need not be shown.
 */
export async function bearerHeader(
  invocation: Seeker & { readonly options: { readonly token: string | undefined } },
): Promise<Word> {
  const { io, options } = invocation;
  const { token: given } = options;
  if (given !== undefined) return `authorization: Bearer ${given}`;
  const token = io.env.SANDBOX_TOKEN
    ? undefined
    : await askRunningSandbox(invocation, async (client) => {
        const { SANDBOX_TOKEN } = await client.get('env');
        return SANDBOX_TOKEN;
      });
  return token === undefined
    ? { shell: '"authorization: Bearer $SANDBOX_TOKEN"' }
    : `authorization: Bearer ${token}`;
}

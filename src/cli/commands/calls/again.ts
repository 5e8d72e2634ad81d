import { isUtf8 } from 'node:buffer';
import type { ControlClient } from '../../../client/control.js';
import type { CallDetail } from '../../../http/control/schema.js';
import { callScript } from '../../../text/shell/again.js';
import type { Script } from '../../../text/shell/again.js';
import { usageError } from '../../program/errors.js';
import { readBytes, STDIN } from '../../program/input-bytes.js';
import type { Io } from '../../program/io.js';
import { schemeOf } from '../../signatures/request-surroundings.js';

/** The body of `--body`: a text, `@file`, or `-` for stdin. */
export async function givenBody(io: Io, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const file = given === STDIN ? STDIN : given.startsWith('@') ? given.slice(1) : undefined;
  if (file === undefined) return given;
  const bytes = await readBytes(io, file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw usageError(`--body takes text in UTF-8; ${file === STDIN ? 'stdin' : file} is none.`);
}

/** The commands that send a call again, and a call of which application it was where that is not the default one. */
export async function scriptOf(
  client: ControlClient,
  id: string,
): Promise<Script & { readonly app: string | null }> {
  const call = await client.get('calls/:id', { id });
  const script = callScript({
    ...call,
    headers: keptRequest(call).headers,
    body: bytesOf(call),
    origin: client.url.replace(/\/$/, ''),
    scheme: await schemeOf(client),
  });
  if (script === undefined) {
    throw usageError(
      `The log hides a part of the path of this call: ${call.path}.`,
      'Sign the request with the whole path: `sign request METHOD PATH body.json --curl`.',
    );
  }
  const [first, ...others] = (await client.get('apps')).data;
  const other = others.find((app) => app.id === call.app_id);
  return { ...script, app: first === undefined || other === undefined ? null : other.name };
}

function keptRequest({ request, door }: CallDetail): NonNullable<CallDetail['request']> {
  if (request !== null && (door === 'api' || door === 'identity')) return request;
  throw usageError(
    request === null
      ? 'The request of this call is not kept.'
      : `Calls to the door ${door} cannot be sent by curl.`,
    'Those to the payments API and the identity API can be, while the log keeps them.',
  );
}

function bytesOf(call: CallDetail): Uint8Array {
  const { body, body_base64: encoded, body_bytes, truncated, redacted } = keptRequest(call);
  if (!truncated && !redacted)
    return encoded === undefined ? Buffer.from(body ?? '') : Buffer.from(encoded, 'base64');
  throw usageError(
    truncated
      ? `Only the beginning of its ${body_bytes} bytes of body is kept.`
      : 'The log hides a secret in its body.',
    `Sign the whole body: \`sign request ${call.method} ${call.path} body.json --curl\`.`,
  );
}

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../core/limits.js';
import { Refusal } from '../core/refusal.js';

function tooLarge(limitBytes: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is over the limit of ${limitBytes} bytes.`);
}

/** Where a body comes from: the socket's request, or a request that was made without a socket. */
export interface BodySource {
  readonly incoming: IncomingMessage | undefined;
  readonly request: () => Request;
}

/** The raw bytes of a request; refuses with PAYLOAD_TOO_LARGE as soon as the limit is passed. */
export async function readBody({ incoming, request }: BodySource, limitBytes: number): Promise<Buffer> {
  if (incoming === undefined) {
    const bytes = Buffer.from(await request().arrayBuffer());
    if (bytes.length > limitBytes) throw tooLarge(limitBytes);
    return bytes;
  }
  if (Number(incoming.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) {
        incoming.pause();
        reject(tooLarge(limitBytes));
      } else {
        chunks.push(chunk);
      }
    });
    incoming.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    incoming.on('error', () => reject(new Refusal('INVALID_REQUEST', 'The body ended before its end.')));
  });
}

function malformed(message: string): Refusal {
  return new Refusal('INVALID_REQUEST', message);
}

/** The JSON value of a body. Refuses invalid UTF-8, malformed JSON, nesting over the limit and `__proto__` keys. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed('A JSON body is required; got an empty one.');
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8.');
  const value = parseText(body.toString('utf8'));
  checkShape(value);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : String(error);
    throw malformed(`The body is not valid JSON: ${reason.slice(0, 120)}.`);
  }
}

function checkShape(root: unknown): void {
  let level: object[] = isObject(root) ? [root] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > LIMITS.jsonDepth)
      throw malformed(`The body is nested deeper than ${LIMITS.jsonDepth} levels.`);
    const next: object[] = [];
    for (const value of level) {
      if (Object.hasOwn(value, '__proto__')) throw malformed('A key must not be named __proto__.');
      for (const child of Object.values(value)) if (isObject(child)) next.push(child);
    }
    level = next;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

import type { Grant } from './grant.js';
import { readGrant } from './grant.js';
import { causeOf, TunnelTrouble } from './trouble.js';

/** A grant is a few hundred bytes. */
const ANSWER_BYTES = 64 * 1024;

export interface RelayRequest {
  readonly relay: URL;
  /** The name to request; a relay that cannot give it gives another. */
  readonly name: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Requests a tunnel from a localtunnel relay, once. Throws TunnelTrouble, or the signal's reason when that aborts. */
export async function askRelay({ relay, name, timeoutMs, signal }: RelayRequest): Promise<Grant> {
  const url = new URL(name === undefined ? '?new' : encodeURIComponent(name), withSlash(relay));
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': `PixSandbox/${__VERSION__}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    status = response.status;
    text = await readText(response);
  } catch (error) {
    signal.throwIfAborted();
    throw new TunnelTrouble(`The relay ${relay.host} cannot be reached: ${causeOf(error)}.`);
  }
  if (status !== 200) throw new TunnelTrouble(`The relay ${relay.host} answered ${status}.`);
  const grant = readGrant(text, relay);
  if (grant !== undefined) return grant;
  throw new TunnelTrouble(`The relay ${relay.host} answered something else than a tunnel's URL and port.`);
}

function withSlash(relay: URL): URL {
  return new URL(relay.pathname.endsWith('/') ? relay.href : `${relay.href}/`);
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > ANSWER_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

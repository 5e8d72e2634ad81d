import { randomBytes } from 'node:crypto';
import { causeOf } from './trouble.js';

/** Proves that a tunnel leads here: only our server knows the secret path, and answers it with the token. */
export interface Probe {
  readonly path: string;
  readonly token: string;
}

export function newProbe(): Probe {
  return { path: `/${randomBytes(24).toString('hex')}`, token: randomBytes(24).toString('hex') };
}

/** Sends one probe through the public URL. Undefined when the token came back, otherwise what came instead. */
export async function askProbe(
  url: string,
  { path, token }: Probe,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const response = await fetch(url + path, {
      headers: {
        'user-agent': `PixSandbox/${__VERSION__}`,
        // Some relays first show browsers a page of their own.
        'bypass-tunnel-reminder': '1',
        // Left open, it would block one of the tunnel's few connections.
        connection: 'close',
      },
      redirect: 'manual',
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return `it answered ${response.status}`;
    }
    return (await startOf(response, token.length)) === token ? undefined : 'it answered with something else';
  } catch (error) {
    return causeOf(error);
  }
}

/** One byte more than expected shows whether there is more. */
async function startOf({ body }: Response, length: number): Promise<string> {
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('latin1');
    if (text.length > length) break;
  }
  return text;
}

import { randomBytes } from 'node:crypto';
import { causeOf } from './trouble.js';

/** How a tunnel is known to lead here: whoever asks for the path is answered with the token. Nobody else knows either. */
export interface Probe {
  readonly path: string;
  readonly token: string;
}

export function newProbe(): Probe {
  return { path: `/${randomBytes(24).toString('hex')}`, token: randomBytes(24).toString('hex') };
}

/** Asks through the public URL once. Undefined when the token came back, else what came instead. */
export async function askProbe(
  url: string,
  { path, token }: Probe,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const response = await fetch(url + path, {
      headers: {
        'user-agent': `PixSandbox/${__VERSION__}`,
        // Some relays show browsers a page of their own first.
        'bypass-tunnel-reminder': '1',
        // Kept open, it would keep one of the few connections of the tunnel busy.
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

/** One byte more than is wanted tells whether there is more. */
async function startOf({ body }: Response, length: number): Promise<string> {
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString('latin1');
    if (text.length > length) break;
  }
  return text;
}

import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpCall {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array;
  readonly timeoutMs: number;
}

/** One HTTP request over a connection of its own. Rejects when nothing answers within the real time. */
export function ask(
  url: string,
  { method = 'GET', headers = {}, body, timeoutMs }: HttpCall,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = request(
      url,
      { method, headers: { ...headers, connection: 'close' }, signal },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: Buffer.concat(chunks).toString('utf8') });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

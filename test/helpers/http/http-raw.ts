import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The error code of a JSON body; undefined where there is none. */
  readonly code: string | undefined;
}

/** A bare connection: what is written goes out byte for byte, and responses are read one by one. */
export class RawConnection implements AsyncDisposable {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  #isEnded = false;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.socket.emit('progress');
    });
    this.socket.on('error', () => {}); // The server may close at any moment.
    this.socket.on('close', () => {
      this.#isEnded = true;
      this.socket.emit('progress');
    });
  }

  write(...lines: readonly string[]): this {
    this.socket.write(lines.join('\r\n'), 'latin1');
    return this;
  }

  /** Writes a request whose lines end where the headers do; a body follows them. */
  request(lines: readonly string[], body = ''): this {
    return this.write(...lines, '', body);
  }

  /** The next whole response; fails when the connection closes before. */
  async response(): Promise<RawResponse> {
    for (;;) {
      const head = this.#bytes.indexOf('\r\n\r\n');
      const response = head < 0 ? undefined : this.#parse(head);
      if (response !== undefined) return response;
      if (this.#isEnded) throw new Error(`The connection closed after ${this.#bytes.toString('latin1')}`);
      await once(this.socket, 'progress');
    }
  }

  /** Everything that came until the server closed the connection. */
  async rest(): Promise<string> {
    while (!this.#isEnded) await once(this.socket, 'progress');
    return this.#bytes.toString('latin1');
  }

  /** Resolves when what came so far holds the text. */
  async holds(text: string): Promise<void> {
    while (!this.#bytes.includes(text)) {
      if (this.#isEnded) throw new Error(`The connection closed before ${text} came.`);
      await once(this.socket, 'progress');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isEnded) return;
    this.socket.destroy();
    await once(this.socket, 'close');
  }

  #parse(head: number): RawResponse | undefined {
    const [statusLine = '', ...lines] = this.#bytes.toString('latin1', 0, head).split('\r\n');
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const status = Number(statusLine.split(' ')[1]);
    const start = head + 4;
    const end = start + (status === 100 ? 0 : Number(headers.get('content-length') ?? 0));
    if (this.#bytes.length < end) return undefined;
    const text = this.#bytes.toString('utf8', start, end);
    this.#bytes = this.#bytes.subarray(end);
    return { status, headers, text, code: /"code":"([A-Z_]+)"/.exec(text)?.[1] };
  }
}

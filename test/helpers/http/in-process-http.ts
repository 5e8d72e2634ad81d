import { once } from 'node:events';
import { Server as NetServer } from 'node:net';
import { Duplex } from 'node:stream';

/** One end of a connection within this process, with what servers ask of a socket beyond what every stream has. */
export class WireEnd extends Duplex {
  #peer: WireEnd | undefined;
  readonly remoteAddress = '127.0.0.1';

  static pair(): [near: WireEnd, far: WireEnd] {
    const [near, far] = [new WireEnd({ allowHalfOpen: true }), new WireEnd({ allowHalfOpen: true })];
    near.#peer = far;
    far.#peer = near;
    return [near, far];
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const peer = this.#peer;
    if (peer?.destroyed === false) peer.push(chunk);
    // Later, as with a socket: nobody answers within the writing itself.
    setImmediate(done);
  }

  override _final(done: () => void): void {
    // Also a socket reads the end in a later turn than what came before it.
    setImmediate(() => {
      if (this.#peer?.destroyed === false) this.#peer.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const peer = this.#peer;
    setImmediate(() => peer?.destroy());
    done(error);
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy()).end();
  }

  resetAndDestroy(): void {
    this.destroy();
  }
}

/** Servers that were started without an address: connections come to them from this process alone. */
export interface Unlistened<Result> {
  readonly result: Result;
  /** Connects to the first of the servers. */
  readonly connect: () => WireEnd;
}

/**
 * Lets everything that the work wants to listen think that it does, under made-up ports: guards, parsers and time limits are the
 * real ones, and there is no socket.
 */
export async function withoutSockets<Result>(work: () => Promise<Result>): Promise<Unlistened<Result>> {
  const servers: NetServer[] = [];
  const real = Object.getOwnPropertyDescriptor(NetServer.prototype, 'listen');
  NetServer.prototype.listen = function pretend(this: NetServer, ...given: unknown[]): NetServer {
    servers.push(this);
    this.address = () => ({ port: MADE_UP_PORT, address: '127.0.0.1', family: 'IPv4' });
    const told = given.find((one): one is () => void => typeof one === 'function');
    if (told !== undefined) this.once('listening', told);
    setImmediate(() => this.emit('listening'));
    return this;
  };
  try {
    const result = await work();
    return { result, connect: () => connectTo(servers[0]) };
  } finally {
    Object.defineProperty(NetServer.prototype, 'listen', real ?? {});
  }
}

/** The port that such servers say they have. */
export const MADE_UP_PORT = 7490;

function connectTo(server: NetServer | undefined): WireEnd {
  if (server === undefined) throw new Error('Nothing was started.');
  const [near, far] = WireEnd.pair();
  server.emit('connection', far);
  near.on('error', () => {}); // The server may close at any moment.
  return near;
}

/** A response as it came; undefined where the connection was closed without one. */
export interface WireResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The body is as long as the headers announce. */
  readonly isWhole: boolean;
  /** What came after the body. */
  readonly rest: string;
}

/** Nothing that is asked here takes as long, also on a busy machine. */
const PATIENCE_MS = 20_000;
/** Chunks in which a stream's head must have come. */
const MOST_HEADS = 5;
const STREAM = /^content-type: text\/event-stream[^]*\r\n\r\n/im;

/**
 * Writes bytes and reads what is answered until the server closes, which the request must ask for; of an event stream only the
 * head. `end` closes our side first, as for requests that break off.
 */
export async function exchange(
  wire: WireEnd,
  bytes: Uint8Array,
  { end = false } = {},
): Promise<WireResponse | undefined> {
  const chunks: Buffer[] = [];
  const text = () => Buffer.concat(chunks).toString('latin1');
  wire.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (chunks.length < MOST_HEADS && STREAM.test(text())) wire.destroy();
  });
  wire.on('end', () => wire.destroy());
  wire.write(bytes);
  if (end) wire.end();
  const watch = setTimeout(
    () => wire.destroy(new Error(`No answer came within ${PATIENCE_MS} ms.`)),
    PATIENCE_MS,
  );
  try {
    if (!wire.closed) await once(wire, 'close');
  } finally {
    clearTimeout(watch);
  }
  return parse(Buffer.concat(chunks));
}

function parse(bytes: Buffer): WireResponse | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  if (status === 100) return parse(bytes.subarray(headEnd + 4));
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const rest = bytes.subarray(headEnd + 4);
  const body = headers.get('transfer-encoding') === 'chunked' ? withoutChunks(rest) : rest;
  const length = Number(headers.get('content-length') ?? body.length);
  return {
    status,
    headers,
    text: body.toString('utf8', 0, length),
    isWhole: body.length >= length,
    rest: body.toString('latin1', length),
  };
}

function withoutChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = lineEnd < 0 ? 0 : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

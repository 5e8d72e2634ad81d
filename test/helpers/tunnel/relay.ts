import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';

/** How the relay answers those who ask for a tunnel: as it should, with a status, with nonsense, never, or by hanging up. */
export type AskMode = 'ok' | 'garbage' | 'hang' | 'hang-up' | number;
/** What it does with the connections of its tunnels: uses them, closes them, leaves them be, or does not listen at all. */
export type LinkMode = 'ok' | 'close' | 'ignore' | 'refuse';

/**
 * A relay on this machine that speaks localtunnel's protocol: `GET /?new` or `GET /<name>` gives a port for connections,
 * and each public connection is handed over to one of those, byte for byte. Each tunnel has a public port of its own.
 */
export class Relay implements AsyncDisposable {
  ask: AskMode = 'ok';
  links: LinkMode = 'ok';
  /** Names of tunnels are not given twice. */
  isForgetful = false;
  connectionCount = 3;
  /** What was asked for, such as `/?new`. */
  readonly asked: string[] = [];
  readonly tunnels = new Map<string, RelayTunnel>();
  #server = createHttpServer();
  #port = 0;
  readonly #open = new Set<Socket>();

  static async start(): Promise<Relay> {
    const relay = new Relay();
    await relay.stopOvertaking();
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The newest tunnel. */
  get tunnel(): RelayTunnel {
    const tunnel = [...this.tunnels.values()].at(-1);
    if (tunnel === undefined) throw new Error('Nobody has asked the relay for a tunnel.');
    return tunnel;
  }

  /** Goes away with all its tunnels. */
  async die(): Promise<void> {
    const isClosed = this.#server.listening ? closed(this.#server) : undefined;
    for (const socket of this.#open) socket.destroy();
    await Promise.all([isClosed, this.forget()]);
  }

  /** Ends every tunnel, as a relay does that was restarted. */
  async forget(): Promise<void> {
    await Promise.all(Array.from(this.tunnels.values(), (tunnel) => tunnel.close()));
  }

  /** Listens, again on the port that it had. */
  async stopOvertaking(): Promise<void> {
    this.#server = createHttpServer((request, response) => void this.#answer(request, response));
    this.#server.on('connection', (socket) => {
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket));
    });
    this.#port = await listen(this.#server, this.#port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.die();
  }

  async #answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(url);
    if (this.ask === 'hang') return;
    if (this.ask === 'hang-up') {
      response.destroy();
      return;
    }
    if (typeof this.ask === 'number') {
      response.writeHead(this.ask).end('{"message":"not now"}');
      return;
    }
    if (this.ask === 'garbage') {
      response.end('<!doctype html><title>Welcome</title>');
      return;
    }
    const wanted = url === '/?new' || this.isForgetful ? undefined : url.slice(1);
    const name = wanted ?? `tunnel-${this.asked.length}`;
    const before = this.tunnels.get(name);
    await before?.close();
    const tunnel = await RelayTunnel.open(name, this.links, before?.publicPort);
    this.tunnels.delete(name);
    this.tunnels.set(name, tunnel);
    const grant = { id: name, port: tunnel.linkPort, max_conn_count: this.connectionCount, url: tunnel.url };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(grant));
  }
}

/** One tunnel: connections of the client that wait, and public ones that take them. */
export class RelayTunnel {
  readonly name: string;
  links: LinkMode;
  publicPort = 0;
  linkPort = 0;
  /** Connections of the client, ever. */
  linked = 0;
  readonly #linkServer: Server;
  readonly #publicServer: Server;
  readonly #idle: Socket[] = [];
  readonly #waiting: Socket[] = [];
  readonly #open = new Set<Socket>();

  private constructor(name: string, links: LinkMode) {
    this.name = name;
    this.links = links;
    this.#linkServer = createServer((socket) => this.#takeLink(this.#held(socket)));
    this.#publicServer = createServer((socket) => this.#takePublic(this.#held(socket)));
  }

  static async open(name: string, links: LinkMode, publicPort = 0): Promise<RelayTunnel> {
    const tunnel = new RelayTunnel(name, links);
    tunnel.linkPort = await listen(tunnel.#linkServer, 0);
    tunnel.publicPort = await listen(tunnel.#publicServer, publicPort);
    if (links === 'refuse') await closed(tunnel.#linkServer);
    return tunnel;
  }

  get url(): string {
    return `http://127.0.0.1:${this.publicPort}`;
  }

  /** How many connections of the client wait for work. */
  get idle(): number {
    return this.#idle.length;
  }

  /** Ends the connections that there are; new ones are taken. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    const servers = [this.#linkServer, this.#publicServer].filter(({ listening }) => listening);
    const all = Promise.all(servers.map(closed));
    this.cut();
    await all;
  }

  #held(socket: Socket): Socket {
    this.#open.add(socket);
    socket.on('error', () => {}); // Either side may leave at any moment.
    socket.on('close', () => {
      this.#open.delete(socket);
      for (const list of [this.#idle, this.#waiting]) {
        const at = list.indexOf(socket);
        if (at >= 0) list.splice(at, 1);
      }
    });
    return socket;
  }

  #takeLink(link: Socket): void {
    this.linked += 1;
    if (this.links === 'close') {
      link.destroy();
      return;
    }
    link.resume();
    const caller = this.#waiting.shift();
    if (caller === undefined || this.links === 'ignore') this.#idle.push(link);
    else join(caller, link);
  }

  #takePublic(caller: Socket): void {
    const link = this.links === 'ignore' ? undefined : this.#idle.shift();
    if (link === undefined) this.#waiting.push(caller);
    else join(caller, link);
  }
}

function join(caller: Socket, link: Socket): void {
  caller.pipe(link);
  link.pipe(caller);
  for (const [one, other] of [
    [caller, link],
    [link, caller],
  ] as const) {
    one.on('close', () => other.destroy());
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function closed(server: Server): Promise<void> {
  const isClosed = once(server, 'close');
  server.close();
  await isClosed;
}

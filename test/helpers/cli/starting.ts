import type { ControlClient } from '../../../src/client/control.js';
import { socketClient } from '../../../src/client/socket.js';
import { tempFolder } from '../temp-folder.js';
import { commandNamed, fakeIo } from './cli-io.js';

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

/** A `start` in this process, on a free port. It is stopped when it is disposed of. */
export class Starting implements AsyncDisposable {
  readonly #folder = tempFolder();
  readonly #stop: () => void;
  readonly work: Promise<unknown>;
  /** Everything in the order in which it was written: JSON on stdout, or what people see on both. */
  readonly lines: string[] = [];
  #tell = () => {};

  constructor(options: Readonly<Record<string, unknown>>, { json = true, columns = 0 } = {}) {
    const env = { XDG_STATE_HOME: this.#folder.path };
    const { io, stop } = fakeIo({ env, json, columns, cwd: this.#folder.path });
    this.#stop = stop;
    const keep = (text: string) => {
      this.lines.push(...text.split('\n'));
      this.#tell();
    };
    const emit = json ? (value: object) => keep(JSON.stringify(value)) : () => {};
    const people = json ? () => {} : keep;
    const own = { ...io, say: people, note: people, emit };
    const given = { port: '0', ...options };
    this.work = commandNamed('start').then((start) => start.invoke({ io: own, args: [], given }));
    this.work.catch(() => {});
  }

  /** The lines of JSON of a type. */
  of(type: string): Line[] {
    return this.lines.map((line) => JSON.parse(line) as Line).filter((line) => line.type === type);
  }

  /** Resolves when it has said enough; rejects when it ends before. */
  async until(isEnough: () => boolean): Promise<void> {
    const ended = this.work.then(() => {
      throw new Error(`It ended before; it said ${this.lines.join('\n')}`);
    });
    ended.catch(() => {});
    while (!isEnough()) {
      const told = new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
      await Promise.race([told, ended]);
    }
  }

  /** Resolves when so many lines of a type have come. */
  async come(type: string, count = 1): Promise<Line[]> {
    await this.until(() => this.of(type).length >= count);
    return this.of(type);
  }

  /** A client of its control API, for one use. */
  async control<Result>(work: (client: ControlClient) => Promise<Result>): Promise<Result> {
    const [ready] = await this.come('ready');
    const client = socketClient({ url: String(ready?.['url']), token: undefined });
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }

  /** Ctrl-C, and the end of it. */
  async stop(): Promise<void> {
    this.#stop();
    await this.work;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await this.work.catch(() => {});
    this.#folder[Symbol.dispose]();
  }
}

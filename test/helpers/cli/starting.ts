import type { ControlClient } from '../../../src/client/control.js';
import { createSocketClient } from '../../../src/client/socket.js';
import { tempFolder } from '../temp-folder.js';
import { commandNamed, fakeIo, type FakeIoOptions } from './cli-io.js';

type Message = Readonly<Record<string, unknown>> & { readonly type: string };
type Options = Readonly<Record<string, unknown>>;
type Shown = Pick<FakeIoOptions, 'json' | 'columns'>;

/** A command at work in this process. What it says is kept, and may be waited for; it stops when it is disposed of. */
class Working implements AsyncDisposable {
  /** The lines of JSON, or without `json` those for people; notes are on stderr. */
  readonly emitted: Message[] = [];
  readonly lines: string[] = [];
  readonly notes: string[] = [];
  /** The lines of JSON, or what people see on both, in the order in which they were written. */
  readonly all: string[] = [];
  readonly work: Promise<unknown>;
  readonly #stop: () => void;
  #tell = () => {};

  constructor(command: string, given: Options, { json = true, ...io }: FakeIoOptions) {
    const fake = fakeIo({ json, ...io });
    this.#stop = fake.stop;
    const keep = <Kept>(list: Kept[], one: Kept, text?: string) => {
      list.push(one);
      if (text !== undefined) this.all.push(...text.split('\n'));
      this.#tell();
    };
    const own = {
      ...fake.io,
      note: (text: string) => keep(this.notes, text, json ? undefined : text),
      say: (text: string) => (json ? undefined : keep(this.lines, text, text)),
      emit: (value: object) =>
        json ? keep(this.emitted, value as Message, JSON.stringify(value)) : undefined,
    };
    this.work = commandNamed(command).then((one) => one.invoke({ io: own, args: [], given }));
    this.work.catch(() => {});
  }

  /** Resolves when it has said enough; rejects when it ends before. */
  async until(isEnough: () => boolean): Promise<void> {
    const ended = this.work.then(() => {
      throw new Error(`It ended before; it said ${JSON.stringify([this.all, this.notes])}.`);
    });
    ended.catch(() => {});
    while (!isEnough()) {
      const told = new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
      await Promise.race([told, ended]);
    }
  }

  of(type: string): Message[] {
    return this.emitted.filter((message) => message.type === type);
  }

  /** Resolves when so many lines of a type have come. */
  async come(type: string, count = 1): Promise<Message[]> {
    await this.until(() => this.of(type).length >= count);
    return this.of(type);
  }

  /** Ctrl-C, and the end of it. */
  async stop(): Promise<void> {
    this.#stop();
    await this.work;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await this.work.catch(() => {});
  }
}

/** A `listen` at work. */
export class Listening extends Working {
  constructor(url: string, options: Options, shown: Shown = {}) {
    super('listen', options, { env: { SANDBOX_URL: url }, ...shown });
  }
}

/** A `start` at work, on a free port. */
export class Starting extends Working {
  readonly #folder;

  constructor(options: Options, shown: Shown = {}) {
    const folder = tempFolder();
    const cwd = folder.path;
    super('start', { port: '0', ...options }, { env: { XDG_STATE_HOME: cwd }, cwd, ...shown });
    this.#folder = folder;
  }

  /** A client of its control API, for one use. */
  async control<Result>(work: (client: ControlClient) => Promise<Result>): Promise<Result> {
    const [ready] = await this.come('ready');
    const client = createSocketClient({ url: String(ready?.['url']), token: undefined });
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

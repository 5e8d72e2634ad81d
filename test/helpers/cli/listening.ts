import { commandNamed, fakeIo } from './cli-io.js';

type Emitted = Readonly<Record<string, unknown>> & { readonly type: string };

/** A `listen` at work. What it says is kept, and may be waited for; it is stopped when it is disposed of. */
export class Listening implements AsyncDisposable {
  /** The lines of JSON, or without `json` what people are told. */
  readonly emitted: Emitted[] = [];
  readonly lines: string[] = [];
  /** Everything on stderr. */
  readonly notes: string[] = [];
  readonly work: Promise<unknown>;
  readonly #stop: () => void;
  #tell = () => {};

  constructor(url: string, options: Readonly<Record<string, unknown>>, { json = true, columns = 0 } = {}) {
    const { io, stop } = fakeIo({ env: { SANDBOX_URL: url }, json, columns });
    this.#stop = stop;
    const keep =
      <Kept>(list: Kept[]) =>
      (kept: Kept) => {
        list.push(kept);
        this.#tell();
      };
    const own = {
      ...io,
      note: keep(this.notes),
      say: json ? () => {} : keep(this.lines),
      emit: json ? (value: object) => keep(this.emitted)(value as Emitted) : () => {},
    };
    this.work = commandNamed('listen').then((listen) => listen.invoke({ io: own, args: [], given: options }));
    this.work.catch(() => {});
  }

  /** Resolves when it has said enough; rejects when it ends before. */
  async until(isEnough: () => boolean): Promise<void> {
    const ended = this.work.then(() => {
      throw new Error(`The listener left before; it said ${JSON.stringify([this.emitted, this.notes])}.`);
    });
    ended.catch(() => {});
    while (!isEnough()) {
      const told = new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
      await Promise.race([told, ended]);
    }
  }

  of(type: string): Emitted[] {
    return this.emitted.filter((message) => message.type === type);
  }

  /** Resolves when so many lines of a type have come. */
  async come(type: string, count = 1): Promise<Emitted[]> {
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

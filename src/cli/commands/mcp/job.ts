import type { CommandResult } from './run-tool.js';

/** A background run of a command; only one at a time. */
export class AgentJob {
  #stopping: AbortController | undefined;
  #progress = '';
  #result: CommandResult | undefined;
  #done: Promise<void> = Promise.resolve();

  get isRunning(): boolean {
    return this.#stopping !== undefined;
  }

  get progress(): string {
    return this.#progress;
  }

  /** The result of the last finished run. */
  get result(): CommandResult | undefined {
    return this.#result;
  }

  /** Returns the result of the last finished run, once. */
  takeResult(): CommandResult | undefined {
    const result = this.#result;
    this.#result = undefined;
    return result;
  }

  /** Starts a run, which must not reject. Returns false, and starts nothing, if another run is in progress. */
  start(run: (signal: AbortSignal, onProgress: (text: string) => void) => Promise<CommandResult>): boolean {
    if (this.isRunning) return false;
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.#result = undefined;
    this.#progress = '';
    this.#done = run(stopping.signal, (text) => (this.#progress = text || this.#progress)).then((result) => {
      this.#result = result;
      this.#stopping = undefined;
    });
    return true;
  }

  /** Waits for the end of the run, at most this long. */
  async wait(ms: number): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, ms).unref());
    await Promise.race([this.#done, timeout]);
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    await this.#done;
  }
}

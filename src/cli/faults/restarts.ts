import type { Restart } from '../../sandbox/options.js';
import { pause } from '../../delivery/pause.js';
import { ChildGroup } from '../commands/exec/child-group.js';
import type { ChildOptions } from '../commands/exec/child-group.js';

/** A restart command that has not ended by then is taken for the application itself. */
const RESTART_MS = 2_000;

/** The runs of a restart command, with whatever they leave running. */
export class Restarts implements AsyncDisposable {
  readonly #command: string;
  readonly #where: () => Pick<ChildOptions, 'cwd' | 'env'>;
  readonly #groups: ChildGroup[] = [];
  readonly #over = new AbortController();

  /** `where` is asked at each restart, because the environment block is known only when the sandbox is open. */
  constructor(command: string, where: () => Pick<ChildOptions, 'cwd' | 'env'>) {
    this.#command = command;
    this.#where = where;
  }

  /** Runs the command in a shell; resolves when it has ended or goes on for so long that it is the application. */
  readonly restart: Restart = async (signal) => {
    if (this.#over.signal.aborted) return;
    const group = await ChildGroup.start(this.#command, [], {
      ...this.#where(),
      shell: true,
      stdio: 'ignore',
      passesSignals: false,
    });
    this.#groups.push(group);
    const elapsed = pause(RESTART_MS, AbortSignal.any([signal, this.#over.signal])).catch(() => undefined);
    await Promise.race([group.ended, elapsed]);
  };

  /** Ends everything that was started. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#groups.map((group) => group.tearDown()));
  }
}

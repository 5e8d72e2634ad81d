import { FAULT_DOORS } from '../../../contract/fault-kinds.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { USING_COMMANDS } from '../../../sandbox/using-commands.js';
import type { Entry } from '../../../sandbox/timeline/entry.js';

const APIS: ReadonlySet<string> = new Set(FAULT_DOORS);
const COMMANDS: ReadonlySet<string> = new Set(USING_COMMANDS);

export const UNUSED =
  'The command succeeded, but nothing used the sandbox: it received no API request, no receiver responded to an event, and no check, explore or run registered with it. Let your code read SANDBOX_BASE_URL and the other names of the environment block, or pass --allow-unused.';

/** Notes whether anything uses a sandbox, as it happens, because a reset empties the world. */
export class Usage {
  #isUsed = false;
  readonly #stops: readonly (() => void)[];

  constructor(sandbox: Sandbox) {
    this.#stops = [
      sandbox.calls.subscribe(({ door }) => this.#note(APIS.has(door))),
      sandbox.timeline.subscribe((entry) => this.#note(isRegistration(entry))),
      sandbox.subscribe((effects) =>
        this.#note(
          effects.some((effect) => effect.type === 'attempt.ended' && effect.attempt.status !== null),
        ),
      ),
    ];
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  #note(isUse: boolean): void {
    if (!isUse) return;
    this.#isUsed = true;
    for (const stop of this.#stops) stop();
  }
}

/** Whether an entry comes from a command that registered, or from a step of a scenario. */
function isRegistration({ facts: { command = '', scenario } }: Pick<Entry, 'facts'>): boolean {
  return scenario !== undefined || COMMANDS.has(command);
}

import { isUnmatched } from '../../../http/control/call-tests.js';
import type { Call, CallLog } from '../../../sandbox/call-log.js';

/** How many different calls are kept; a broken test repeats the same ones. */
const MOST_KEPT = 100;

/** The calls that matched no route, collected as they arrive, because the call log drops the oldest and a reset empties it. */
export class UnmatchedCalls {
  readonly #calls = new Map<string, { readonly call: Call; times: number }>();

  constructor(log: CallLog) {
    log.subscribe((call) => {
      if (isUnmatched(call)) this.#note(call);
    });
  }

  /** Such as `POST /pix met nothing (404 NOT_FOUND, 2 times). Did you mean POST /api/public/v1/pix?` */
  messages(): string[] {
    return Array.from(this.#calls.entries(), ([request, { call, times }]) => {
      const { status, error, hint } = call;
      const answer = [status, error ?? ''].join(' ').trimEnd();
      const often = times === 1 ? '' : `, ${times} times`;
      return `${request} met nothing (${answer}${often}).${hint === null ? '' : ` ${hint}`}`;
    });
  }

  #note(call: Call): void {
    const request = `${call.method} ${call.path.split('?')[0] ?? ''}`;
    const noted = this.#calls.get(request);
    if (noted !== undefined) noted.times += 1;
    else if (this.#calls.size < MOST_KEPT) this.#calls.set(request, { call, times: 1 });
  }
}

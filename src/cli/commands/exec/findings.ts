import type { AttemptError } from '../../../contract/attempt-errors.js';
import { ledgerProblems } from '../../../core/payments/ledger-check.js';
import type { Delivery } from '../../../core/world.js';
import { grouped } from '../../../explore/plan.js';
import type { AttemptRecord } from '../../../sandbox/attempt-records.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { FAIL_ON } from '../../program/shared-options.js';
import { answerText } from './answer-text.js';
import { isRefusedAfter } from './drain.js';
import { Forgeries } from './forgeries.js';
import { UnmatchedCalls } from './unmatched-calls.js';
import { Usage } from './usage.js';

export type FailOn = (typeof FAIL_ON)[number];

export interface ExecFinding {
  readonly kind: FailOn | 'unused';
  readonly message: string;
}

/** A sandbox, and what of it has to be collected as it happens. */
export interface Watched {
  readonly sandbox: Sandbox;
  readonly calls: UnmatchedCalls;
  readonly forgeries: Forgeries;
  readonly usage: Usage;
}

/** Watches a sandbox, and sends its receivers forged copies where forgeries are to be found. */
export function watch(sandbox: Sandbox, failOn: readonly FailOn[]): Watched {
  return {
    sandbox,
    calls: new UnmatchedCalls(sandbox.calls),
    forgeries: new Forgeries(sandbox, failOn.includes('unverified')),
    usage: new Usage(sandbox),
  };
}

/** How the command ended. */
interface Ended {
  /** Real time at which it ended, and with it probably its receivers. */
  readonly endedAt: number;
  /** Whether it succeeded. */
  readonly isDone: boolean;
}

type Look = (watched: Watched, ended: Ended) => readonly string[];

const LOOKS: Readonly<Record<FailOn, Look>> = {
  undelivered: ({ sandbox }, { endedAt }) => undelivered(sandbox, endedAt),
  unverified: ({ forgeries, usage }, { isDone }) =>
    forgeries.problems({ expectsDelivery: isDone && usage.isUsed }),
  ledger: ({ sandbox }) => ledgerProblems(sandbox.world),
  unmatched: ({ calls }) => calls.messages(),
};

/** The findings of the kinds that are asked for. */
export function findingsOf(
  watched: Watched,
  kinds: readonly FailOn[],
  ended: Ended = { endedAt: Infinity, isDone: true },
): ExecFinding[] {
  return kinds.flatMap((kind) => LOOKS[kind](watched, ended).map((message) => ({ kind, message })));
}

function undelivered(sandbox: Sandbox, endedAt: number): string[] {
  const { deliveries, endpoints } = sandbox.world;
  return deliveries.rows
    .filter(({ status }) => status !== 'DELIVERED')
    .map((delivery) => {
      const { event, status, endpointId } = delivery;
      const endpoint = endpoints.get(endpointId);
      const place = endpoint?.description ?? endpoint?.url ?? endpointId;
      return `${event.type} of ${event.resource.code} is ${status} (${place}) ${attemptsText(sandbox, delivery, endedAt)}`;
    });
}

const UNREACHABLE = 'Start your application before events are delivered.';
const FIXES: Partial<Record<AttemptError, string>> = {
  HTTP_STATUS:
    'Respond 2xx to every genuine event, even to one that you ignore; `check` finds out why one is refused.',
  REDIRECT: 'Name the URL to which it redirects.',
  TIMEOUT: 'Respond first, then do the work.',
  CONNECTION_REFUSED: UNREACHABLE,
  CONNECTION_FAILED: UNREACHABLE,
};

/** The sentence that says how to fix an error, after a full stop; empty where the error says enough. */
function fixOf(error: AttemptError | null): string {
  const fix = error === null ? undefined : FIXES[error];
  return fix === undefined ? '' : `. ${fix}`;
}

/** What came of the attempts, the first cause first, and how to fix that; without those that met nobody after the command. */
function attemptsText({ records }: Sandbox, delivery: Delivery, endedAt: number): string {
  const { id, lastError, lastStatus, inFlight } = delivery;
  const attempts = inFlight ? delivery.attempts - 1 : delivery.attempts;
  const all = Array.from({ length: attempts }, (_, index) => records.get(id, index + 1));
  const made = all.filter((record) => record === undefined || !isRefusedAfter(record, endedAt));
  if (made.length < attempts && made.length === 0) {
    return 'because the command ended before its first attempt: end it only after the webhook was handled';
  }
  const known = made.filter((record) => record !== undefined);
  const outcomes = outcomesOf(known);
  const count = made.length === 1 ? '1 attempt' : `${made.length} attempts`;
  // Its endpoint was disabled meanwhile, or the records of its attempts are no longer kept.
  const isRecorded = lastError === null || all.some((record) => record?.result.error === lastError);
  const last = lastError === 'HTTP_STATUS' ? `${lastError} ${lastStatus}` : lastError;
  const causes = isRecorded ? outcomes : [...outcomes, last];
  if (causes.length === 0) return `after ${count}`;
  return `after ${count}: ${causes.join('; then ')}${fixOf(known[0]?.result.error ?? lastError)}`;
}

/** Each outcome with its number, in the order in which they appeared, and with the response of the first. */
function outcomesOf(records: readonly AttemptRecord[]): string[] {
  const byOutcome = grouped(records, ({ result: { error, status } }) =>
    [error, status].filter((part) => part !== null).join(' '),
  );
  return [...byOutcome].map(([outcome, [first, ...more]], index) => {
    const count = more.length === 0 ? '' : `${more.length + 1} × `;
    return `${count}${outcome}${index === 0 ? answerText(first?.result) : ''}`;
  });
}

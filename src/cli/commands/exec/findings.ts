import { ledgerProblems } from '../../../core/payments/ledger-check.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { FAIL_ON } from '../../program/shared-options.js';
import { answerText } from './answer-text.js';
import { Forgeries } from './forgeries.js';
import { UnmatchedCalls } from './unmatched-calls.js';

export type FailOn = (typeof FAIL_ON)[number];

export interface ExecFinding {
  readonly kind: FailOn;
  readonly message: string;
}

/** A sandbox, and what of it has to be collected as it happens. */
export interface Watched {
  readonly sandbox: Sandbox;
  readonly calls: UnmatchedCalls;
  readonly forgeries: Forgeries;
}

export function watch(sandbox: Sandbox): Watched {
  return { sandbox, calls: new UnmatchedCalls(sandbox.calls), forgeries: new Forgeries(sandbox) };
}

const LOOKS: Readonly<Record<FailOn, (watched: Watched) => readonly string[]>> = {
  undelivered: ({ sandbox }) => undelivered(sandbox),
  unverified: ({ forgeries }) => forgeries.accepted,
  ledger: ({ sandbox }) => ledgerProblems(sandbox.world),
  unmatched: ({ calls }) => calls.messages(),
};

export function findingsOf(watched: Watched, kinds: readonly FailOn[]): ExecFinding[] {
  return kinds.flatMap((kind) => LOOKS[kind](watched).map((message) => ({ kind, message })));
}

function undelivered({ world: { deliveries, endpoints }, records }: Sandbox): string[] {
  return deliveries.rows
    .filter(({ status }) => status !== 'DELIVERED')
    .map((delivery) => {
      const { id, event, status, attempts, lastError, lastStatus, endpointId } = delivery;
      const endpoint = endpoints.get(endpointId);
      const place = endpoint?.description ?? endpoint?.url ?? endpointId;
      const answer = answerText(records.get(id, attempts)?.result);
      const last =
        lastError === null ? '' : `, the last ${[lastError, lastStatus ?? ''].join(' ').trimEnd()}${answer}`;
      const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
      return `${event.type} of ${event.resource.code} is ${status} (${place}) after ${count}${last}`;
    });
}

import { ledgerProblems } from '../../../core/payments/ledger-check.js';
import type { Delivery, World } from '../../../core/world.js';
import type { FAIL_ON } from '../../program/shared-options.js';
import type { UnmatchedCalls } from './unmatched-calls.js';

export type FailOn = (typeof FAIL_ON)[number];

export interface ExecFinding {
  readonly kind: FailOn;
  readonly message: string;
}

const FORGERIES = new Set(['wrong-signature', 'stale-timestamp']);

const LOOKS: Readonly<Record<FailOn, (world: World, calls: UnmatchedCalls) => string[]>> = {
  undelivered,
  unverified,
  ledger: ledgerProblems,
  unmatched: (_, calls) => calls.messages(),
};

export function findingsOf(world: World, calls: UnmatchedCalls, kinds: readonly FailOn[]): ExecFinding[] {
  return kinds.flatMap((kind) => LOOKS[kind](world, calls).map((message) => ({ kind, message })));
}

function undelivered({ deliveries, endpoints }: World): string[] {
  return deliveries.rows
    .filter(({ status }) => status !== 'DELIVERED')
    .map((delivery) => {
      const { event, status, attempts, lastError, lastStatus, endpointId } = delivery;
      const endpoint = endpoints.get(endpointId);
      const place = endpoint?.description ?? endpoint?.url ?? endpointId;
      const last =
        lastError === null ? '' : `, the last ${[lastError, lastStatus ?? ''].join(' ').trimEnd()}`;
      const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
      return `${event.type} of ${event.resource.code} is ${status} (${place}) after ${count}${last}`;
    });
}

/** Forged deliveries that the receiver accepted: it does not verify signatures. */
function unverified({ deliveries }: World): string[] {
  return deliveries.rows.flatMap((delivery) =>
    acceptedForgeries(delivery).map(
      ({ number, action }) =>
        `${delivery.event.type} of ${delivery.event.resource.code}: attempt ${number} had a ${action} and was accepted`,
    ),
  );
}

function acceptedForgeries({ log }: Delivery) {
  return log.flatMap(({ number, error, faults = [] }) => {
    const forgery = error === null ? faults.find(({ action }) => FORGERIES.has(action)) : undefined;
    return forgery === undefined ? [] : [{ number, action: forgery.action }];
  });
}

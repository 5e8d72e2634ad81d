import { isoTime } from '../../contract/time.js';
import {
  CHARGE_STATUSES,
  DELIVERY_STATUSES,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import type { Table } from '../../core/table.js';
import type { KeepingState } from '../../sandbox/persistence.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { clockView } from './clock/clock-view.js';
import { accountView, endpointView } from './views.js';
import type { ScenarioSource } from './scenarios/scenarios.js';
import type { StatusView } from './state-schema.js';

/** The status of a running sandbox. */
export interface ServerFacts {
  readonly instanceId: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  /** The origin of the sandbox. */
  readonly url: () => string;
  /** Whether other machines reach it: then the address of a pay page holds a token. */
  readonly isExposed?: boolean;
  /** The environment block: what an application needs to use this sandbox. */
  readonly env: () => Readonly<Record<string, string>>;
  /** The data directory, and why it can no longer be written; null without one. */
  readonly data?: () => KeepingState | null;
  /** Asks the process to stop; absent in a process that a request must not end. */
  readonly onStop?: (() => void) | undefined;
  /** Absent where scenarios cannot be run. */
  readonly scenarios?: ScenarioSource | undefined;
}

/** In the order of the contract, without statuses that no row has. */
function countsOf(statuses: readonly string[], { counts }: Table<unknown>): Record<string, number> {
  const found = statuses.map((status) => [status, counts.get(status) ?? 0] as const);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

export function statusView(sandbox: Sandbox, facts: ServerFacts): StatusView {
  const { world } = sandbox;
  return {
    version: facts.version,
    instance_id: facts.instanceId,
    pid: facts.pid,
    url: facts.url(),
    started_at: isoTime(facts.startedAt),
    data: facts.data?.() ?? null,
    idle: sandbox.isIdle(),
    clock: clockView(sandbox),
    attempts_in_flight: sandbox.openAttempts,
    charges: countsOf(CHARGE_STATUSES, world.charges),
    withdrawals: countsOf(WITHDRAWAL_STATUSES, world.withdrawals),
    events: world.events.rows.length,
    deliveries: countsOf(DELIVERY_STATUSES, world.deliveries),
    retention: {
      keep: world.keepDeliveries,
      dropped_deliveries: world.deliveryCount - world.deliveries.rows.length,
      dropped_events: world.eventCount - world.events.rows.length,
    },
    deliveries_paused: world.deliveriesPaused,
    sessions: countsOf(SESSION_STATUSES, world.sessions),
    endpoints: [...world.endpoints.values()].map(endpointView),
    calls: sandbox.calls.count,
    accounts: Array.from(world.accounts.values(), accountView),
  };
}

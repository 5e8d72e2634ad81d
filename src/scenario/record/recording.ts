import type {
  AppView,
  ChargeView,
  DeliveryLine,
  DeliveryView,
  EndpointView,
  EventLine,
  SessionView,
  StatusView,
  WithdrawalView,
} from '../../http/control/schema.js';
import type { RegisterLine } from '../../contract/assumption-register.js';
import { Doors, pathOf } from '../run/requests.js';
import type { Target } from '../run/target.js';

/** What happened in a sandbox to its default application, oldest first. */
export interface Recording {
  readonly charges: readonly ChargeView[];
  readonly withdrawals: readonly WithdrawalView[];
  readonly sessions: readonly SessionView[];
  readonly events: readonly EventLine[];
  /** Those to the one endpoint that got most of them. */
  readonly deliveries: readonly DeliveryView[];
  /** That endpoint, where it is still there. */
  readonly endpoint: EndpointView | undefined;
  readonly assumptions: readonly RegisterLine[];
  /** What the account holds in the end. */
  readonly balance: string;
  /** Sandbox time. */
  readonly now: string;
}

/** Deliveries get so much real time to end first. */
const PATIENCE = '15s';

/** Reads what happened, by the control API alone: it holds no secret. Rejects with StepFailure. */
export async function readRecording(target: Target): Promise<Recording> {
  const doors = new Doors(target);
  await doors.get(`idle?timeout=${PATIENCE}`);
  const accountId = doors.env.SANDBOX_ACCOUNT_ID;
  const { data: apps } = await doors.get<{ data: readonly AppView[] }>('apps');
  const app = apps.find(({ account_id: id }) => id === accountId);
  const own = ({ app_id: id }: { readonly app_id: string | null }) => id === app?.id;
  const { data: endpoints } = await doors.get<{ data: readonly EndpointView[] }>('endpoints');
  const events = (await oldest<EventLine>(doors, 'events')).filter(own);
  const eventIds = new Set(events.map(({ id }) => id));
  const all = (await oldest<DeliveryLine>(doors, 'deliveries')).filter((one) => eventIds.has(one.event_id));
  const endpointId = mostFrequent(all.map(({ endpoint_id: id }) => id));
  const deliveries: DeliveryView[] = [];
  for (const { id } of all.filter((one) => one.endpoint_id === endpointId)) {
    deliveries.push(await doors.get<DeliveryView>(pathOf('deliveries', id)));
  }
  const status = await doors.get<StatusView>('status');
  const sessions = await oldest<SessionView>(doors, 'kyc/sessions');
  return {
    charges: (await oldest<ChargeView>(doors, 'charges')).filter(own),
    withdrawals: (await oldest<WithdrawalView>(doors, 'withdrawals')).filter(own),
    sessions: sessions.filter((session) => session.organization_id === app?.organization_id),
    events,
    deliveries,
    endpoint: endpoints.find(({ id }) => id === endpointId),
    assumptions: await doors.assumptions(),
    balance: status.accounts.find(({ id }) => id === accountId)?.balance ?? '0.00',
    now: status.clock.now,
  };
}

async function oldest<Row extends { readonly id: string }>(doors: Doors, list: string): Promise<Row[]> {
  return (await doors.newest<Row>(list)).reverse();
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

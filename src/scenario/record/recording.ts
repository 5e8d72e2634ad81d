import type {
  ChargeView,
  DeliveryView,
  EndpointView,
  EventLine,
  SessionView,
  WithdrawalView,
} from '../../http/control/schema.js';
import type { RegisterLine } from '../../contract/assumption-register.js';
import { Doors } from '../run/requests.js';
import type { Target } from '../run/target.js';

/** What happened in a sandbox to its default application, oldest first. */
export interface Recording {
  readonly charges: readonly ChargeView[];
  readonly withdrawals: readonly WithdrawalView[];
  readonly sessions: readonly SessionView[];
  readonly events: readonly EventLine[];
  /** Those to the endpoint that got most of them. */
  readonly deliveries: readonly DeliveryView[];
  /** That endpoint, if it still exists. */
  readonly endpoint: EndpointView | undefined;
  readonly assumptions: readonly RegisterLine[];
  /** The final balance of the account. */
  readonly balance: string;
  /** Sandbox time. */
  readonly now: string;
}

/** The real time that deliveries get to end first. */
const PATIENCE = '15s';

/** Reads what happened through the control API alone, without secrets. Rejects with SandboxError and NotReachableError. */
export async function readRecording(target: Target): Promise<Recording> {
  const doors = new Doors(target);
  const { control } = doors;
  await control.get('idle', { timeout: PATIENCE });
  const accountId = doors.env.SANDBOX_ACCOUNT_ID;
  const { data: apps } = await control.get('apps');
  const app = apps.find(({ account_id: id }) => id === accountId);
  const own = ({ app_id: id }: { readonly app_id: string | null }) => id === app?.id;
  const { data: endpoints } = await control.get('endpoints');
  const events = (await control.list('events')).filter(own).reverse();
  const eventIds = new Set(events.map(({ id }) => id));
  const all = (await control.list('deliveries')).filter((one) => eventIds.has(one.event_id)).reverse();
  const endpointId = mostFrequent(all.map(({ endpoint_id: id }) => id));
  const deliveries: DeliveryView[] = [];
  for (const { id } of all.filter((one) => one.endpoint_id === endpointId)) {
    deliveries.push(await control.get('deliveries/:id', { id }));
  }
  const status = await control.get('status');
  const sessions = (await control.list('kyc/sessions')).reverse();
  return {
    charges: (await control.list('charges')).filter(own).reverse(),
    withdrawals: (await control.list('withdrawals')).filter(own).reverse(),
    sessions: sessions.filter((session) => session.organization_id === app?.organization_id),
    events,
    deliveries,
    endpoint: endpoints.find(({ id }) => id === endpointId),
    assumptions: await doors.assumptions(),
    balance: status.accounts.find(({ id }) => id === accountId)?.balance ?? '0.00',
    now: status.clock.now,
  };
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

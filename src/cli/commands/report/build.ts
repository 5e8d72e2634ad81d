import { type ControlClient, SandboxError } from '../../../client/control.js';
import { LIMITS } from '../../../contract/limits.js';
import type { CallDetail, DeliveryView } from '../../../http/control/exchanges.js';
import type { TraceNodeView, TraceView } from '../../../http/control/timeline.js';
import { KnownSecrets } from '../../../text/redaction.js';
import { SECRET_VARIABLES } from '../../program/configured-options.js';
import type { Io } from '../../program/io.js';
import { NO_COLORS } from '../../program/run-command.js';
import type { FoundAttempt } from '../../sandbox/find-sandbox.js';
import { findCauses } from '../webhooks.js';
import { type Author, ReportRedactor, type StoredBody } from './redaction.js';

/** Payments and sessions per report. The steps of a trace usually concern one of them. */
const MOST_ROWS = 20;

interface ReportOptions {
  readonly id: string;
  readonly withData: boolean;
}
type Report = Awaited<ReturnType<typeof buildReport>>;
export type { Report };

/** Builds a redacted report on any id that `trace` accepts. Changes nothing. */
export async function buildReport(io: Io, client: ControlClient, { id, withData }: ReportOptions) {
  const found = await fetchTrace(client, id);
  const [status, apps, environment, assumptions, faults] = await Promise.all([
    client.get('status'),
    client.get('apps'),
    client.get('env'),
    client.get('assumptions'),
    client.get('faults'),
  ]);
  const known: Readonly<Record<string, string | undefined>>[] = [{ ...environment }, io.env];
  const named = known.flatMap((values) => SECRET_VARIABLES.flatMap((name) => values[name] ?? []));
  const secrets = new KnownSecrets([...named, ...apps.data.map(({ token }) => token)]);
  const { now, real_now, rate } = status.clock;
  const present = (redactor: ReportRedactor) => ({
    subject: redactor.text(id),
    with_data: withData,
    created_at: real_now,
    versions: {
      sandbox: status.version,
      command: __VERSION__,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
    },
    clock: { now, rate },
    trace: redactor.texts(found.trace),
    requests: found.requests.map((call) => presentRequest(redactor, call)),
    deliveries: found.deliveries.map((one) => presentDelivery(io, redactor, one)),
    resources: found.rows.map((row) => redactor.json(row, 'view')),
    settings: redactor.texts(status.settings),
    assumptions: assumptions.data
      .filter((one) => one.value !== one.default)
      .map(({ id, value, default: usual }) => ({ id, value, default: usual })),
    faults: redactor.texts(faults.data),
    left_out: found.leftOut,
  });
  // The first pass finds the redacted values, which the second pass also hides in texts.
  const first = new ReportRedactor(withData, secrets, new Set());
  present(first);
  for (const row of found.rows) if ('code' in row) first.redacted.delete(row.code);
  return present(new ReportRedactor(withData, secrets, first.redacted));
}

type Message = StoredBody & Pick<NonNullable<CallDetail['request']>, 'headers'>;

function presentMessage(redactor: ReportRedactor, message: Message | null | undefined, author: Author) {
  return message ? { headers: redactor.headers(message.headers), ...redactor.body(message, author) } : null;
}

function presentRequest(redactor: ReportRedactor, { request, response, ...call }: CallDetail) {
  const { events: _events, deliveries: _deliveries, ...view } = call;
  return {
    ...redactor.json(view, 'view'),
    request: presentMessage(redactor, request, 'application'),
    response: presentMessage(redactor, response, 'sandbox'),
  };
}

function presentDelivery(io: Io, redactor: ReportRedactor, { delivery, payload }: FoundDelivery) {
  const { attempt_log: log, schedule: _schedule, ...view } = delivery;
  const presentAttempt = (attempt: FoundAttempt) => {
    const { request_headers: headers = {}, response, ...rest } = attempt;
    return {
      ...redactor.json(rest, 'view'),
      causes: findCauses({ ...io, colors: NO_COLORS }, delivery, attempt).map(redactor.text),
      request_headers: redactor.headers(Object.entries(headers)),
      response: presentMessage(redactor, response, 'receiver'),
    };
  };
  const request = redactor.body({ body: payload }, 'application');
  return { ...redactor.json(view, 'view'), request, attempts: log.map(presentAttempt) };
}

interface FoundDelivery {
  readonly delivery: DeliveryView;
  /** The exact body of every attempt. */
  readonly payload: string;
}

/** Fetches a trace with its requests, deliveries and rows, within the limits. */
async function fetchTrace(client: ControlClient, id: string) {
  const trace = await client.get('trace/:id', { id });
  const { steps, total, kept } = selectSteps(trace);
  const idsOf = (kind: TraceNodeView['kind']) =>
    steps.flatMap((node) => (node.kind === kind && node.id !== null ? node.id : []));
  const ofDeliveries = [...idsOf('delivery'), ...idsOf('attempt').map((one) => one.replace(/\.\d+$/, ''))];
  const all = [...idsOf('call'), ...new Set(ofDeliveries)];
  const shown = all.slice(0, LIMITS.reportExchanges);
  const requests: CallDetail[] = [];
  const deliveries: FoundDelivery[] = [];
  for (const one of shown) {
    if (one.startsWith('req_')) {
      const call = await findIfPresent(client.get('calls/:id', { id: one }));
      if (call !== undefined) requests.push(call);
      continue;
    }
    const delivery = await findIfPresent(client.get('deliveries/:id', { id: one }));
    if (delivery === undefined) continue;
    deliveries.push({
      delivery,
      payload: await client.getText('events/:id/body', { id: delivery.event_id }),
    });
  }
  const changed = [...new Set(idsOf('change'))].slice(0, MOST_ROWS);
  const rows = await Promise.all(changed.map((one) => fetchRow(client, one)));
  const lost = shown.length - requests.length - deliveries.length;
  return {
    trace: { ...trace, ...kept },
    requests,
    deliveries,
    rows: rows.filter((row) => row !== undefined),
    leftOut: [
      ...describeRest('Steps', total - steps.length, `at most ${LIMITS.reportSteps} are shown`),
      ...describeRest(
        'Requests and deliveries',
        all.length - shown.length,
        `at most ${shown.length} are shown`,
      ),
      ...describeRest('Requests and deliveries', lost, 'the sandbox no longer stores them'),
    ],
  };
}

function describeRest(what: string, count: number, reason: string): string[] {
  return count === 0 ? [] : [`${what} left out: ${count} (${reason}).`];
}

/** Selects the first steps. */
function selectSteps({ root, later }: TraceView) {
  const listSteps = (node: TraceNodeView): TraceNodeView[] => [node, ...node.children.flatMap(listSteps)];
  const all = [root, ...later].flatMap(listSteps);
  const steps = all.slice(0, LIMITS.reportSteps);
  const selected = new Set(steps);
  const prune = (node: TraceNodeView): TraceNodeView => ({
    ...node,
    children: node.children.filter((child) => selected.has(child)).map(prune),
  });
  const kept = { root: prune(root), later: later.filter((node) => selected.has(node)).map(prune) };
  return { steps, total: all.length, kept };
}

/** Fetches a payment or a session, without URLs, which can contain tokens. Skips endpoints. */
async function fetchRow(client: ControlClient, id: string) {
  if (id.startsWith('kyc_')) return findIfPresent(client.get('kyc/sessions/:id', { id }));
  const charge = await findIfPresent(client.get('charges/:id', { id }));
  if (charge === undefined) return findIfPresent(client.get('withdrawals/:id', { id }));
  const { pay_url: _url, ...row } = charge;
  return row;
}

/** Resolves to undefined if the sandbox refuses the request, e.g. for a row that is no longer stored. */
async function findIfPresent<Row>(asked: Promise<Row>): Promise<Row | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof SandboxError) return undefined;
    throw error;
  });
}

import type { ControlClient } from '../../../client/control.js';
import { FAULTS } from '../../../contract/fault-kinds.js';
import { isDisabled } from '../../../contract/transitions.js';
import { isUnmatched } from '../../../http/control/call-tests.js';
import type { CallView, DeliveryLine } from '../../../http/control/exchanges.js';
import type { StatusView } from '../../../http/control/system.js';
import { groupBy } from '../../../text/group-by.js';
import { formatEndpointLabel, parseListenerTarget } from '../../../text/listener-name.js';
import { PROGRAM_NAME } from '../../../text/program-name.js';
import { redactUrl } from '../../../text/redaction.js';
import { toOneLine } from '../../terminal/text.js';
import { formatListenCommand } from '../endpoints.js';
import * as hints from '../listen/failure-hints.js';
import { formatLastOutcome } from '../webhooks.js';
import { type DoctorCheck, summarizeChecks, warn } from './check-result.js';

const MOST_DELIVERIES = 100;
const MOST_GROUPS = 3;

/** Checks the endpoints and the newest traffic of a sandbox. Rejects like every request of the client. */
export async function checkTraffic(client: ControlClient, signal: AbortSignal) {
  const [status, credentials, env, { data: calls }, deliveries] = await Promise.all([
    client.get('status', { signal }),
    client.get('credentials', { signal }),
    client.get('env', { signal }),
    client.get('calls', { signal }),
    client.list('deliveries', { signal, limit: MOST_DELIVERIES }),
  ]);
  const active = status.endpoints.filter((one) => one.connected !== false && !isDisabled(one.status));
  return {
    url: client.url,
    credentials,
    env,
    /** URLs where a receiver should listen. */
    targets: active.map(({ connected, url, description }) =>
      connected === null ? url : (parseListenerTarget(description)?.target ?? ''),
    ),
    checks: {
      endpoints: checkEndpoints(status, deliveries),
      deliveries: await checkDeliveries(client, signal, deliveries),
      requests: checkRequests(calls),
    },
  };
}

/** Reports disabled endpoints, disconnected listeners with held deliveries, and a missing listener. */
function checkEndpoints(status: StatusView, deliveries: readonly DeliveryLine[]): readonly DoctorCheck[] {
  const { endpoints, events, deliveries_paused: isPaused, faults, incidents } = status;
  const place = (one: (typeof endpoints)[number]) => toOneLine(redactUrl(formatEndpointLabel(one)), 0);
  const problems = endpoints.flatMap((endpoint): DoctorCheck[] => {
    const { id, url, description } = endpoint;
    if (isDisabled(endpoint.status))
      return [warn(`${place(endpoint)} is disabled.`, `\`npx sandbox endpoints enable ${id}\``)];
    const held = deliveries.filter((one) => one.endpoint_id === id && one.blocked_by === 'away').length;
    if (held === 0) return [];
    const command = formatListenCommand(PROGRAM_NAME, url, description);
    return [warn(`${place(endpoint)} is not connected; held deliveries: ${held}.`, `S${command.slice(1)}.`)];
  });
  if (isPaused) problems.push(warn('Deliveries are paused.', '`npx sandbox deliveries resume`'));
  if (faults > 0) {
    const names = incidents.length === 0 ? '' : `, of the incidents ${incidents.join(', ')}`;
    problems.push(warn(`Active or scheduled faults: ${faults}${names}.`, '`npx sandbox faults list`'));
  }
  if (endpoints.length === 0 && events > 0) {
    const listen = '`npx sandbox listen --forward-to localhost:3000/webhooks`';
    problems.push(warn('Events are not delivered: there is no endpoint or listener.', listen));
  }
  return summarizeChecks(problems, `Endpoints and listeners: ${endpoints.map(place).join(', ') || 'none'}.`);
}

/** Reports failed deliveries by endpoint and outcome: how many, why, and what to run next. */
async function checkDeliveries(
  client: ControlClient,
  signal: AbortSignal,
  deliveries: readonly DeliveryLine[],
): Promise<readonly DoctorCheck[]> {
  const attempted = deliveries.filter(({ last_attempt_at: at }) => at !== null);
  const failed = attempted.filter(({ last_error: error }) => error !== null);
  const groups = groupBy(failed, (one) => `${one.endpoint_id} ${formatLastOutcome(one)}`);
  const problems = [...groups.values()].slice(0, MOST_GROUPS).map(async ([newest, ...others]) => {
    const { id, endpoint_id, endpoint_name: name } = newest;
    const { target_url: target, attempt_log: log } = await client.get('deliveries/:id', { id, signal });
    const own = attempted.filter((one) => one.endpoint_id === endpoint_id);
    const place = toOneLine(redactUrl(target ?? name ?? endpoint_id), 0).replace(/^https?:\/\//, '');
    const outcome = formatLastOutcome(newest);
    const got = `${others.length + 1} of ${own.length} deliveries to ${place} got ${outcome}.`;
    const attempt = log.findLast(({ error }) => error !== null);
    const fault = attempt?.faults.find((one) => !hints.isReceiverFailure([one]))?.action;
    if (fault !== undefined)
      return warn(`${got} Fault ${fault}: ${FAULTS.delivery[fault]?.meaning}.`, '`npx sandbox faults list`');
    const cause = attempt && hints.explainFailure(target, hints.toRecordedResponse(attempt));
    const message = `${got} ${cause === undefined ? '' : hints.formatHint(cause)}`.trimEnd();
    return warn(message, `Run ${hints.formatVerifyCommand({ program: PROGRAM_NAME }, id.slice(0, 8))}.`);
  });
  return summarizeChecks(await Promise.all(problems), `${attempted.length} recent deliveries, none failed.`);
}

/** Reports refused requests by outcome: unauthorized, unknown routes, and errors of the sandbox. */
function checkRequests(calls: readonly CallView[]): readonly DoctorCheck[] {
  const refused = calls.filter((call) => {
    const isRefused = call.status === 401 || call.status === 403 || call.status >= 500 || isUnmatched(call);
    return isRefused && call.faults.length === 0;
  });
  const groups = groupBy(refused, ({ status, error }) => [status, error ?? ''].join(' ').trimEnd());
  const problems = [...groups].slice(0, MOST_GROUPS).map(([outcome, [newest, ...others]]) => {
    const { id, method, path, message, hint } = newest;
    const count = `${others.length + 1} of ${calls.length} requests got ${outcome}`;
    const text = `${count}, the newest ${method} ${path}: ${message ?? ''} ${hint ?? ''}`;
    return warn(toOneLine(text.trimEnd(), 0), `\`npx sandbox calls show ${id}\` shows the request.`);
  });
  return summarizeChecks(problems, `${calls.length} requests, none refused.`);
}

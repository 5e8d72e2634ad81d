import type { StatusView } from '../../../http/control/schema.js';
import type { ControlClient } from '../../../client/control.js';
import type { RunFile } from '../../../client/run-file.js';
import { projectFolder, runFilesOf } from '../../../client/run-file.js';
import type { Invocation } from '../../program/declaration.js';
import { answeringRuns } from '../../sandbox/find-sandbox.js';
import type { Io } from '../../program/io.js';
import { clockFacts } from '../clock/clock.js';
import { endpointTable } from '../webhooks/webhooks.js';
import { type Fact, facts } from '../../terminal/text.js';
import { instantText } from '../../terminal/when.js';
import { present } from '../../sandbox/present.js';

export const showStatus = present(askStatus, statusText);

/** The status, and the other sandboxes of the project if this is one of them and there are any. */
type Status = StatusView & { readonly others?: readonly Other[] };
type Other = Pick<RunFile, 'url' | 'pid' | 'instance_id' | 'started_at'>;

async function askStatus(client: ControlClient, { io }: Invocation): Promise<Status> {
  const status = await client.get('status');
  const folder = projectFolder(io.cwd);
  const isOfProject = ({ instance_id: id }: RunFile) => id === status.instance_id;
  if (!runFilesOf(folder, io.env).some(isOfProject)) return status;
  const runs = await answeringRuns(folder, io, status.instance_id);
  const others = runs.map(({ url, pid, instance_id, started_at }) => ({ url, pid, instance_id, started_at }));
  return others.length === 0 ? status : { ...status, others };
}

function statusText(io: Io, status: Status): string {
  const { attempts_in_flight, endpoints } = status;
  const known = facts(io, [
    ['sandbox', `${status.url} (version ${status.version}, pid ${status.pid})`],
    ...(status.others ?? []).map((other): Fact => ['another', `${other.url} (pid ${other.pid})`]),
    ['started', instantText(status.started_at)],
    ...clockFacts(status.clock),
    ['kept', keptText(status.data)],
    ['state', status.idle ? 'idle' : `busy, ${attempts_in_flight} attempts in flight`],
    ['paused', status.deliveries_paused ? `deliveries, until \`${io.program} deliveries resume\`` : ''],
    ['charges', countsText(status.charges)],
    ['withdrawals', countsText(status.withdrawals)],
    ['events', String(status.events)],
    ['deliveries', countsText(status.deliveries)],
    ['dropped', droppedText(status.retention)],
    ['calls', String(status.calls)],
    ...status.accounts.map(({ id, balance }): Fact => ['balance', `${balance} BRL in account ${id}`]),
  ]);
  return endpoints.length === 0 ? `${known}\nNo endpoints.` : `${known}\n\n${endpointTable(io, endpoints)}`;
}

function keptText(data: StatusView['data']): string {
  if (data === null) return '';
  const { recovery } = data;
  if (data.failure === null) return `in ${data.directory}${recovery === null ? '' : `. ${recovery}`}`;
  return `NO MORE in ${data.directory}, only in memory: ${data.failure}`;
}

function droppedText({ keep, dropped_deliveries, dropped_events }: StatusView['retention']): string {
  const counts = `${dropped_deliveries} deliveries, ${dropped_events} events`;
  if (dropped_deliveries + dropped_events === 0) return '';
  return `${counts}, the oldest finished ones; ${keep} are kept (--keep-deliveries)`;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

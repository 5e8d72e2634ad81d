import type { StatusView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { clockFacts } from '../clock/text.js';
import { endpointTable } from '../endpoints/text.js';
import type { Fact } from '../../terminal/facts.js';
import { facts } from '../../terminal/facts.js';
import { instantText } from '../../terminal/when.js';
import { present } from '../../sandbox/present.js';

export const showStatus = present((client) => client.get('status'), statusText);

function statusText(io: Io, status: StatusView): string {
  const { attempts_in_flight, endpoints } = status;
  const known = facts(io, [
    ['sandbox', `${status.url} (version ${status.version}, pid ${status.pid})`],
    ['started', instantText(status.started_at)],
    ...clockFacts(status.clock),
    ['kept', keptText(status.data)],
    ['state', status.idle ? 'idle' : `busy, ${attempts_in_flight} attempts in flight`],
    ['paused', status.deliveries_paused ? 'deliveries, until `npx pix-sandbox deliveries resume`' : ''],
    ['charges', countsText(status.charges)],
    ['withdrawals', countsText(status.withdrawals)],
    ['events', String(status.events)],
    ['deliveries', countsText(status.deliveries)],
    ['calls', String(status.calls)],
    ...status.accounts.map(({ id, balance }): Fact => ['balance', `${balance} BRL in account ${id}`]),
  ]);
  return endpoints.length === 0 ? `${known}\nNo endpoints.` : `${known}\n\n${endpointTable(io, endpoints)}`;
}

function keptText(data: StatusView['data']): string {
  if (data === null) return '';
  return data.failure === null
    ? `in ${data.directory}`
    : `NO MORE in ${data.directory}, only in memory: ${data.failure}`;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

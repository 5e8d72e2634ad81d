import type { ControlClient } from '../../client/control.js';
import type { RunFile } from '../../client/run-file.js';
import { DELIVERY_STATUSES } from '../../contract/transitions.js';
import type { StatusView } from '../../http/control/system.js';
import { raceAbort } from '../../delivery/abort.js';
import { completeRows, completeWords } from '../completion/sources.js';
import { CliError, EXIT_CODES, parseChoice, REFUSED_MEANING } from '../program/errors.js';
import { querySandbox, declareCommand, type Invocation, type InvocationOf } from '../program/declaration.js';
import type { Io } from '../program/io.js';
import {
  defineChoice,
  defineCount,
  defineDuration,
  parseDurationOption,
  promptForArgument,
  withDefault,
  defineText,
} from '../program/options.js';
import { defineEventType } from '../program/shared-options.js';
import { type TextFact, formatFacts, formatTable, listBalanceFacts } from '../terminal/text.js';
import { formatInstant } from '../terminal/time-text.js';
import { listClockFacts } from './clock.js';
import { createEndpointColumns } from './endpoints.js';

export const status = declareCommand({
  name: 'status',
  summary: 'show the sandbox’s data, its time, and the next due item',
  related: ['clock show', 'endpoints list', 'logs', 'doctor'],
}).shows(askStatus, statusText);

/** Adds the project's other sandboxes, if this sandbox belongs to the project. */
type Status = StatusView & { readonly others?: readonly Other[] };
type Other = Pick<RunFile, 'url' | 'pid' | 'instance_id' | 'started_at'>;

async function askStatus(client: ControlClient, { io }: Invocation): Promise<Status> {
  const [{ findProjectFolder, runFilesOf }, { findRespondingSandboxes }] = await Promise.all([
    import('../../client/run-file.js'),
    import('../sandbox/find-sandbox.js'),
  ]);
  const status = await client.get('status');
  const folder = findProjectFolder(io.cwd);
  if (!runFilesOf(folder, io.env).some((run) => run.instance_id === status.instance_id)) return status;
  const runs = await findRespondingSandboxes(folder, io, status.instance_id);
  const others = runs.map(({ url, pid, instance_id, started_at }) => ({ url, pid, instance_id, started_at }));
  return others.length === 0 ? status : { ...status, others };
}

function statusText(io: Io, status: Status): string {
  const { attempts_in_flight, endpoints } = status;
  const known = formatFacts(io, [
    ['sandbox', `${status.url} (version ${status.version}, pid ${status.pid})`],
    ...(status.others ?? []).map((other): TextFact => ['another', `${other.url} (pid ${other.pid})`]),
    ['started', formatInstant(status.started_at)],
    ...listClockFacts(status.clock),
    ['frozen', frozenText(io, status.clock)],
    ['data', keptText(status.data)],
    ['state', status.idle ? 'idle' : `busy, ${attempts_in_flight} attempts in flight`],
    ['paused', status.deliveries_paused ? `deliveries, until \`${io.program} deliveries resume\`` : ''],
    ['settings', settingsText(status)],
    ['faults', faultsText(io, status)],
    ['charges', countsText(status.charges)],
    ['withdrawals', countsText(status.withdrawals)],
    ['events', String(status.events)],
    ['deliveries', countsText(status.deliveries)],
    ['dropped', droppedText(status.retention)],
    ['calls', String(status.calls)],
    ...listBalanceFacts(status.accounts),
  ]);
  return endpoints.length === 0
    ? `${known}\nNo endpoints.`
    : `${known}\n\n${formatTable(io, endpoints, createEndpointColumns(io))}`;
}

/** Returns the command that advances a frozen clock, if an attempt is waiting. */
function frozenText({ program }: Io, { frozen, next_due: due }: StatusView['clock']): string {
  if (!frozen || due?.kind !== 'delivery.attempt') return '';
  return `attempts wait until the clock advances; \`${program} clock next\` makes the next attempt`;
}

function settingsText({ settings }: StatusView): string {
  return Object.entries(settings)
    .map((pair) => pair.join('='))
    .join(', ');
}

function faultsText({ program }: Io, { faults, incidents }: StatusView): string {
  if (faults === 0) return '';
  const names = incidents.length === 0 ? '' : `, incidents: ${incidents.join(', ')}`;
  return `${faults}${names}; \`${program} faults list\` shows them`;
}

function keptText(data: StatusView['data']): string {
  if (data === null) return '';
  const { directory, failure, recovery } = data;
  if (failure !== null) return `NOT SAVED in ${directory}, only in memory: ${failure}`;
  return `in ${directory}${recovery === null ? '' : `. ${recovery}`}`;
}

function droppedText({ keep, dropped_deliveries, dropped_events }: StatusView['retention']): string {
  const counts = `${dropped_deliveries} deliveries, ${dropped_events} events`;
  if (dropped_deliveries + dropped_events === 0) return '';
  return `${counts}, the oldest finished ones; the limit is ${keep} (--keep-deliveries)`;
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

export const open = declareCommand({
  name: 'open',
  aliases: { console: {} },
  summary: 'print the URL of the web console and open it in a browser',
  description: 'Opens a browser only on a terminal, without CI and --no-input.',
  related: ['status', 'start'],
}).shows(
  async (client, { io }) => {
    const [{ formatConsoleUrl, openPage }] = await Promise.all([
      import('../terminal/open-page.js'),
      client.get('status'),
    ]);
    const url = formatConsoleUrl(client.url, client.token);
    return { url, opened: io.interactive && openPage(url, io.env) };
  },
  (_, { url }) => url,
);

export const stop = declareCommand({
  name: 'stop',
  summary: 'stop this project’s sandbox',
  description:
    'Asks the sandbox to exit, and waits until it has exited. If several are running, stops the ' +
    'newest responding sandbox. With --url, stops the sandbox at that URL.',
  exits: {
    1: 'the sandbox belongs to another command or to a program that created it',
    3: '',
    4: 'the sandbox is still running after 10 s',
  },
  related: ['start', 'status'],
}).runs(async () => (await import('./stop.js')).stopSandbox);

const WAITS = { ready, idle, delivery };
const WAIT_NAMES = Object.keys(WAITS) as (keyof typeof WAITS)[];

const waitDeclared = declareCommand({
  name: 'wait',
  summary: 'wait until the sandbox is ready or idle, or a delivery exists',
  description:
    'ready: until a sandbox responds. idle: until nothing is in flight and nothing is due ' +
    'now. delivery: until at least --count deliveries match the options.',
  args: {
    what: promptForArgument(
      `Specify what to wait for: one of ${WAIT_NAMES.join(', ')}.`,
      'For example: npx sandbox wait ready',
      completeWords(WAIT_NAMES),
    ),
  },
  options: {
    timeout: withDefault(
      defineDuration('duration', 'time limit, in real time (default: 30s)'),
      parseDurationOption('30s', '--timeout'),
    ),
    status: defineChoice(
      'status',
      'delivery: only deliveries with this status',
      DELIVERY_STATUSES,
      'delivery status',
    ),
    type: defineEventType('delivery: only deliveries of this event type'),
    event: defineText('id', 'delivery: only deliveries of this event', completeRows('events')),
    count: withDefault(defineCount('n', 'delivery: minimum number of deliveries (default: 1)'), 1),
  },
  examples: ['ready --timeout 10s', 'delivery --type pix.settled --status DELIVERED'],
  exits: { 1: REFUSED_MEANING, 3: '', 4: 'the timeout expired' },
  related: ['status', 'trigger', 'exec'],
});

type Waiting = InvocationOf<typeof waitDeclared>;

export const wait = waitDeclared.runs(async () => (invocation) => {
  const what = parseChoice('condition', invocation.args.what, WAIT_NAMES);
  return WAITS[what](invocation);
});

function timedOut(message: string, hint: string): CliError {
  return new CliError(EXIT_CODES.timedOut, 'TIMED_OUT', message, { hint });
}

async function ready(invocation: Waiting): Promise<void> {
  const { io, options } = invocation;
  const { waitUntilReady } = await import('../sandbox/find-sandbox.js');
  const { url, response } = await waitUntilReady(invocation, options.timeout);
  io.emit(response);
  io.say(`The sandbox at ${url} is ready (version ${response.version}).`);
}

async function idle(invocation: Waiting): Promise<void> {
  const { io, options } = invocation;
  const timeout = options.timeout.text;
  const response = await queryUntilStopped(invocation, (client) => client.get('idle', { timeout }));
  if (!response.idle) {
    throw timedOut(
      `The sandbox was not idle within ${timeout}.`,
      '`npx sandbox status` shows what is in flight.',
    );
  }
  io.emit(response);
  io.say('The sandbox is idle: nothing is in flight and nothing is due now.');
}

async function delivery(invocation: Waiting): Promise<void> {
  const { io, options } = invocation;
  const timeout = options.timeout.text;
  const query = { status: options.status, event_type: options.type, event: options.event };
  const [response, { now }] = await queryUntilStopped(invocation, async (client) => [
    await client.get('deliveries/wait', { ...query, count: options.count, timeout }),
    await client.get('clock'),
  ]);
  const { satisfied, deliveries } = response;
  if (!satisfied) {
    const wanted = options.count === 1 ? '1 delivery' : `${options.count} deliveries`;
    const parts = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : `${name} ${value}`,
    );
    const which = parts.length === 0 ? wanted : `${wanted} with ${parts.join(' and ')}`;
    throw timedOut(
      `Waited ${timeout} for ${which}; found ${deliveries.length}.`,
      '`npx sandbox deliveries list` shows all deliveries.',
    );
  }
  io.emit(response);
  const { formatDeliveries } = await import('./webhooks.js');
  io.say(formatDeliveries(io, deliveries, Date.parse(now)));
}

/** Queries the sandbox; rejects if the command is stopped first. */
async function queryUntilStopped<Answer>(
  invocation: Waiting,
  ask: (client: ControlClient) => Promise<Answer>,
): Promise<Answer> {
  return querySandbox(invocation, (client) => raceAbort(ask(client), invocation.io.stopping));
}

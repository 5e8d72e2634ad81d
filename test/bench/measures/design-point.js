import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import {
  call,
  JSON_BODY,
  post,
  processFile,
  startHelper,
  startSandbox,
  startServer,
} from '../harness/children.js';
import { median } from '../harness/statistics.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title =
  'the longest event-loop turn and the blocking commands with 10,000 payments and 100,000 deliveries';

const PAYMENTS = 10_000;
const ENDPOINTS = 10;
const PING_EVERY_MS = 5;
const MOST_TURN_MS = 100;
const MOST_BLOCKED_MS = 1_500;
const ms = (value) => `${value.toFixed(0)} ms`;

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const receiver = startHelper(bench, 'receiver.js');
  const sandbox = await startSandbox(bench, [
    '--allow-local-endpoints',
    '--keep-deliveries',
    '1000000',
    '--data',
    `${bench.folder}/design-point`,
  ]);
  const bare = await startServer(bench, [processFile('bare-server.js')]);
  try {
    await fill(sandbox, await receiver.ask('port'), bench.quick ? PAYMENTS / 10 : PAYMENTS);
    const rows = [];
    for (const [name, work] of Object.entries(SERVING)) {
      const turns = await longestTurns(sandbox, bare, bench.quick ? 2 : 5, () => work(sandbox));
      rows.push(limitedRow(name, turns));
    }
    for (const [name, work] of Object.entries(BLOCKING)) {
      const value = await longestDuring(sandbox.ready.url, () => work(sandbox));
      rows.push(valueRow({ name: `turn of ${name}`, value, show: ms, most: MOST_BLOCKED_MS }));
    }
    return rows;
  } finally {
    await Promise.all([receiver.stop(), sandbox.stop(), bare.stop()]);
  }
}

/** Every payment is delivered to each of ten endpoints. */
async function fill(sandbox, port, payments) {
  for (let made = 0; made < ENDPOINTS; made += 1) {
    const url = `http://127.0.0.1:${port}/webhooks/${made}`;
    await post(sandbox, 'endpoints', { url, events: ['withdrawal.settled'] });
  }
  for (let made = 0; made < payments; made += 1_000) {
    await post(sandbox, 'trigger', {
      type: 'withdrawal.settled',
      count: Math.min(1_000, payments - made),
      until: 'ended',
    });
  }
}

/** Work during which requests must be served: no turn may take longer than the limit. */
const SERVING = {
  'turn while 1,000 events are delivered': (sandbox) =>
    post(sandbox, 'trigger', { type: 'withdrawal.settled', count: 100, until: 'ended' }),
  'turn while lists are read': async (sandbox) => {
    for (const list of ['charges', 'withdrawals', 'deliveries', 'events', 'timeline', 'calls', 'status']) {
      await call(sandbox, `/_sandbox/${list}`);
    }
  },
};

let exported = '';

/** Work that may block, once. */
const BLOCKING = {
  export: async (sandbox) => {
    exported = await (await fetch(`${sandbox.ready.url}/_sandbox/state`)).text();
  },
  import: (sandbox) =>
    call(sandbox, '/_sandbox/state', { method: 'PUT', headers: JSON_BODY, body: exported }),
  save: (sandbox) => post(sandbox, 'state/snapshots', { name: 'bench' }),
  restore: (sandbox) => post(sandbox, 'state/snapshots/bench/restore'),
  reset: (sandbox) => post(sandbox, 'reset'),
};

/** A row with a limit, next to a bare server, which only waits for the processor. */
function limitedRow(name, pairs) {
  const value = median(pairs.map(({ ours }) => ours));
  const { aim, verdict } = valueRow({ name, value, show: ms, most: MOST_TURN_MS });
  return { ...ratioRow({ name, pairs, show: ms }), aim, verdict };
}

/** The longest times between a request and its response during some work, of the sandbox and of a bare server. */
async function longestTurns(sandbox, bare, rounds, work) {
  const pairs = [];
  for (let round = 0; round <= rounds; round += 1) {
    const working = new AbortController();
    const other = longestPing(bare.ready.url, working.signal);
    const ours = await longestDuring(sandbox.ready.url, work);
    working.abort();
    const yardstick = await other;
    if (round > 0) pairs.push({ ours, yardstick });
  }
  return pairs;
}

/** The longest time between a request and its response during some work. */
async function longestDuring(url, work) {
  const working = new AbortController();
  const ping = longestPing(`${url}/_sandbox/livez`, working.signal);
  await setTimeout(PING_EVERY_MS);
  await work();
  working.abort();
  return ping;
}

async function longestPing(url, signal) {
  // A new connection could wait for many others to be accepted.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let longest = 0;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const [response] = await once(get(url, { agent }), 'response');
    response.resume();
    await once(response, 'end');
    longest = Math.max(longest, performance.now() - startedAt);
    await setTimeout(PING_EVERY_MS);
  }
  agent.destroy();
  return longest;
}

import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { processFile, startSandbox, startServer } from '../harness/children.js';
import { median } from '../harness/statistics.js';
import { ratioRow, valueRow } from '../harness/table.js';

export const title = 'the first of many deliveries, and the longest stall of the event loop under load';

const EVENTS = 5_000;
const APPS = 3_000;
const CALLS = 1_000;
const TRIGGERED_AT_ONCE = 10_000;
const FAILING_RATE = 500;
const PING_EVERY_MS = 5;
const MOST_MS = 50;
const ms = (value) => `${value.toFixed(0)} ms`;

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const charges = bench.quick ? 20_000 : 200_000;
  return [
    await firstDelivery(bench),
    ...(await stalls(bench, {
      prepare: (url) => trigger(url, 'pix.settled', charges),
      works: {
        [`export of ${charges} charges`]: (url) => drain(`${url}/_sandbox/state`),
        [`${CALLS} status calls at once, ${charges} charges`]: askStatus,
      },
    })),
    ...(await stalls(bench, {
      prepare: makeApps,
      works: { [`${CALLS} status calls at once, ${APPS} applications`]: askStatus },
    })),
    ...(await stalls(bench, failing(bench))),
  ];
}

/** A row about a time that has its limit, beside a yardstick. */
function limitedRow(name, pairs) {
  const { aim, verdict } = valueRow({
    name,
    value: median(pairs.map(({ ours }) => ours)),
    show: ms,
    most: MOST_MS,
  });
  return { ...ratioRow({ name, pairs, show: ms }), aim, verdict };
}

async function post(url, path, body = {}) {
  const response = await fetch(`${url}/_sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`Expected 2xx from ${path}, got ${response.status}: ${await response.text()}`);
  return response.json();
}

/** A receiver in this process; `onRequest` is called for each delivery. */
async function receive(status, onRequest) {
  const server = createServer((request, response) => {
    onRequest();
    request.resume();
    response.statusCode = status;
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

/** From the request that triggers to the first delivery: of many events, and of a single one. */
async function firstDelivery(bench) {
  const sandbox = await startSandbox(bench, ['--allow-local-endpoints']);
  let arrived = () => {};
  const receiver = await receive(200, () => arrived());
  const { url } = sandbox.ready;
  const time = async (count) => {
    const first = new Promise((resolve) => {
      arrived = resolve;
    });
    const startedAt = performance.now();
    const answered = post(url, 'trigger', { type: 'withdrawal.settled', count, until: 'ended' });
    await first;
    const tookMs = performance.now() - startedAt;
    await answered;
    return tookMs;
  };
  try {
    await post(url, 'endpoints', { url: receiver.url, events: ['withdrawal.settled'] });
    const pairs = [];
    for (let round = 0; round <= (bench.quick ? 2 : 7); round += 1) {
      const yardstick = await time(1);
      pairs.push({ ours: await time(EVENTS), yardstick });
    }
    return limitedRow(`first delivery of ${EVENTS} against that of 1`, pairs.slice(1));
  } finally {
    receiver.close();
    await sandbox.stop();
  }
}

/** Reads an answer without keeping it, by default on a connection of its own: a server that stalls would close an idle one. */
async function drain(url, agent = false) {
  const [response] = await once(get(url, { agent }), 'response');
  if (response.statusCode !== 200) throw new Error(`Expected 200 from ${url}, got ${response.statusCode}.`);
  response.resume();
  await once(response, 'end');
}

/** Asks a server all the time until a signal, and returns the longest time that an answer took. */
async function longestPing(url, signal) {
  // A new connection could wait for many others to be accepted.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let longest = 0;
  while (!signal.aborted) {
    const startedAt = performance.now();
    await drain(url, agent);
    longest = Math.max(longest, performance.now() - startedAt);
    await setTimeout(PING_EVERY_MS);
  }
  agent.destroy();
  return longest;
}

/** How long the sandbox answers nothing during each work, against a bare server, which only waits for its turn on the processor. */
async function stalls(bench, { prepare, works, end }) {
  const sandbox = await startSandbox(bench, ['--allow-local-endpoints']);
  const bare = await startServer(bench, [processFile('bare-server.js')]);
  try {
    const { url } = sandbox.ready;
    await prepare(url);
    const rows = [];
    for (const [name, work] of Object.entries(works)) {
      const pairs = [];
      for (let round = 0; round <= (bench.quick ? 2 : 5); round += 1) {
        const working = new AbortController();
        const pings = [`${url}/_sandbox/livez`, bare.ready.url].map((one) =>
          longestPing(one, working.signal),
        );
        // In another turn than the pings begin.
        await setTimeout(PING_EVERY_MS);
        await work(url);
        working.abort();
        const [ours, yardstick] = await Promise.all(pings);
        pairs.push({ ours, yardstick });
      }
      rows.push(limitedRow(name, pairs.slice(1)));
    }
    return rows;
  } finally {
    end?.();
    await Promise.all([sandbox.stop(), bare.stop()]);
  }
}

async function trigger(url, type, count) {
  for (let made = 0; made < count; made += TRIGGERED_AT_ONCE) {
    await post(url, 'trigger', { type, count: Math.min(TRIGGERED_AT_ONCE, count - made) });
  }
}

async function makeApps(url) {
  for (let made = 0; made < APPS; made += 1) await post(url, 'apps');
}

async function askStatus(url) {
  await Promise.all(Array.from({ length: CALLS }, () => drain(`${url}/_sandbox/status`)));
}

function failing({ quick }) {
  let receiver;
  return {
    prepare: async (url) => {
      receiver = await receive(500, () => {});
      await post(url, 'endpoints', { url: receiver.url, events: ['withdrawal.settled'] });
    },
    works: {
      [`${FAILING_RATE} events/s to a failing receiver`]: async (url) => {
        const endsAt = performance.now() + (quick ? 2_000 : 10_000);
        while (performance.now() < endsAt) {
          const next = setTimeout(100);
          await post(url, 'trigger', { type: 'withdrawal.settled', count: FAILING_RATE / 10 });
          await next;
        }
      },
    },
    end: () => receiver?.close(),
  };
}

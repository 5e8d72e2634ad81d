import { cpuSeconds, processFile, startHelper, startSandbox, startServer } from '../harness/children.js';
import { median } from '../harness/statistics.js';
import { ratioRow } from '../harness/table.js';

export const title = 'requests over 32 connections against a Hono echo';

const CONNECTIONS = 32;
const WITHDRAWALS = 25;
/** How many requests are made ready before a round, as a share of what the round before asks for. */
const AHEAD = 1.3;
const CHARGE = '/api/public/v1/pix';
const ENDPOINTS = '/api/public/v1/webhook-endpoints';
const LIST = `/api/public/v1/withdrawals?limit=${WITHDRAWALS}`;

/** What is compared: a target, the target that is its yardstick, and the least share of that. */
const GOALS = [
  { name: 'create charge, no image', ours: 'plain', yardstick: 'echo', least: 0.5 },
  { name: 'create charge, with image', ours: 'image', yardstick: 'echo', least: 0.3 },
  { name: 'get one charge', ours: 'get', yardstick: 'getEcho', least: 0.8 },
  { name: 'get one endpoint', ours: 'endpoint', yardstick: 'endpointEcho', least: 0.7 },
  { name: `list ${WITHDRAWALS} withdrawals`, ours: 'list', yardstick: 'listEcho', least: 0.35 },
];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const servers = {
    plain: await startSandbox(bench, ['--assume', 'charge.qr_image=omit']),
    image: await startSandbox(bench, ['--allow-local-endpoints']),
    echo: await startServer(bench, [processFile('echo-server.js')]),
  };
  const client = startHelper(bench, 'load-client.js');
  try {
    const targets = await prepare(servers);
    const runs = await runAll(bench, client, targets);
    for (const { name, ours, yardstick } of GOALS)
      bench.note(`${name}: ${costs(runs[ours], runs[yardstick])}`);
    return GOALS.map(({ name, ours, yardstick, least }) => {
      const rates = runs[ours].map((run, round) => ({
        ours: run.rate,
        yardstick: runs[yardstick][round].rate,
      }));
      return ratioRow({ name, pairs: rates, show: (rate) => `${rate.toFixed(0)}/s`, least });
    });
  } finally {
    await Promise.all([client, ...Object.values(servers)].map((child) => child.stop()));
  }
}

/** What to ask of whom. The echo answers the same GETs with the same bodies. */
async function prepare({ plain, image, echo }) {
  const { SANDBOX_TOKEN, SANDBOX_SIGNING_SECRET, SANDBOX_ACCOUNT_ID } = image.ready.env;
  const headers = { authorization: `Bearer ${SANDBOX_TOKEN}` };
  const charge = { headers, accountId: SANDBOX_ACCOUNT_ID, signingSecret: SANDBOX_SIGNING_SECRET };
  const { id } = await call(image, '/_sandbox/charges', { method: 'POST' });
  const endpoint = await call(image, '/_sandbox/endpoints', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"url":"http://127.0.0.1:9/","events":["pix.settled"]}',
  });
  for (let made = 0; made < WITHDRAWALS; made += 1) {
    await call(image, '/_sandbox/withdrawals', { method: 'POST' });
  }
  const targets = {
    plain: { server: plain, request: { path: CHARGE, ...charge } },
    image: { server: image, request: { path: CHARGE, ...charge } },
    echo: { server: echo, request: { path: '/echo', ...charge } },
    get: { server: image, request: { path: `/_sandbox/charges/${id}`, headers } },
    endpoint: { server: image, request: { path: `${ENDPOINTS}/${endpoint.id}`, headers } },
    list: { server: image, request: { path: LIST, headers } },
  };
  for (const name of ['get', 'endpoint', 'list']) {
    const body = await call(image, targets[name].request.path, { headers });
    const path = `/kept/${name}`;
    await call(echo, path, { method: 'PUT', body: JSON.stringify(body) });
    targets[`${name}Echo`] = { server: echo, request: { path, headers } };
  }
  return targets;
}

async function call(server, path, init) {
  const response = await fetch(server.ready.url + path, init);
  if (!response.ok)
    throw new Error(`Expected 2xx from ${path}, got ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Every round asks each target in turn. The first warms up and does not count. */
async function runAll(bench, client, targets) {
  const rounds = bench.quick ? 2 : 5;
  const runs = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    const seconds = round === 0 || bench.quick ? 1 : 2.5;
    for (const [name, { server, request }] of Object.entries(targets)) {
      const ahead = Math.ceil((runs[name].at(-1)?.rate ?? 0) * seconds * AHEAD);
      runs[name].push(await runOne(client, server, { request, seconds, ahead }));
    }
  }
  return Object.fromEntries(Object.entries(runs).map(([name, all]) => [name, all.slice(1)]));
}

async function runOne(client, { ready, pid }, { request, seconds, ahead }) {
  const usedBefore = cpuSeconds(pid);
  const port = Number(new URL(ready.url).port);
  const answers = await client.ask({ port, connections: CONNECTIONS, seconds, request, ahead });
  const used = usedBefore === undefined ? undefined : cpuSeconds(pid) - usedBefore;
  return { rate: answers / seconds, cpuUs: used === undefined ? undefined : (used / answers) * 1e6 };
}

/** Where the server was not busy, its rate is the client's; its processor time tells what it could have done. */
function costs(ours, yardstick) {
  if (ours[0].cpuUs === undefined) return 'no processor times on this system';
  const [our, its] = [ours, yardstick].map((runs) => ({
    us: median(runs.map(({ cpuUs }) => cpuUs)),
    busy: median(runs.map(({ cpuUs, rate }) => cpuUs * rate)) / 1e6,
  }));
  const say = ({ us, busy }) => `${us.toFixed(0)} µs a request (busy ${Math.round(busy * 100)} %)`;
  return `main thread ${say(our)} against ${say(its)}, which makes ${Math.round((its.us / our.us) * 100)} %`;
}

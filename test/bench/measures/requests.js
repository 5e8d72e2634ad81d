import { join } from 'node:path';
import { call, processFile, startHelper, startSandbox, startServer } from '../harness/children.js';
import { ratioRow } from '../harness/table.js';

export const title = 'requests over 32 connections against a Hono echo';

const CONNECTIONS = 32;
const WITHDRAWALS = 25;
/** How many requests are made ready before a round, as a share of what the round before asks for. */
const AHEAD = 1.3;
const CHARGE = '/api/public/v1/pix';
const LIST = `/api/public/v1/withdrawals?limit=${WITHDRAWALS}`;

/** The targets to compare: ours, its yardstick, and the least share of its rate. */
const GOALS = [
  { name: 'create charge, no image', ours: 'plain', yardstick: 'echo', least: 0.5 },
  { name: 'create charge, with image', ours: 'image', yardstick: 'echo', least: 0.25 },
  { name: 'create charge, on disk', ours: 'durable', yardstick: 'echo' },
  { name: 'get one charge', ours: 'get', yardstick: 'getEcho', least: 0.5 },
  { name: `list ${WITHDRAWALS} withdrawals`, ours: 'list', yardstick: 'listEcho', least: 0.5 },
];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const servers = {
    plain: await startSandbox(bench, ['--assume', 'charge.qr_image=omit']),
    image: await startSandbox(bench),
    durable: await startSandbox(bench, [
      '--assume',
      'charge.qr_image=omit',
      '--data',
      join(bench.folder, 'requests'),
    ]),
    echo: await startServer(bench, [processFile('echo-server.js')]),
  };
  const client = startHelper(bench, 'load-client.js');
  try {
    const targets = await prepare(servers);
    const runs = await runAll(bench, client, targets);
    return GOALS.map(({ name, ours, yardstick, least }) => {
      const rates = runs[ours].map((rate, round) => ({ ours: rate, yardstick: runs[yardstick][round] }));
      return ratioRow({ name, pairs: rates, show: (rate) => `${rate.toFixed(0)}/s`, least });
    });
  } finally {
    await Promise.all([client, ...Object.values(servers)].map((child) => child.stop()));
  }
}

/** What to ask of whom. The echo answers the same GETs with the same bodies. */
async function prepare({ plain, image, durable, echo }) {
  const { SANDBOX_TOKEN, SANDBOX_SIGNING_SECRET, SANDBOX_ACCOUNT_ID } = image.ready.env;
  const headers = { authorization: `Bearer ${SANDBOX_TOKEN}` };
  const charge = { headers, accountId: SANDBOX_ACCOUNT_ID, signingSecret: SANDBOX_SIGNING_SECRET };
  const { id } = await call(image, '/_sandbox/charges', { method: 'POST' });
  for (let made = 0; made < WITHDRAWALS; made += 1) {
    await call(image, '/_sandbox/withdrawals', { method: 'POST' });
  }
  const targets = {
    plain: { server: plain, request: { path: CHARGE, ...charge } },
    image: { server: image, request: { path: CHARGE, ...charge } },
    durable: { server: durable, request: { path: CHARGE, ...charge } },
    echo: { server: echo, request: { path: '/echo', ...charge } },
    get: { server: image, request: { path: `/_sandbox/charges/${id}`, headers } },
    list: { server: image, request: { path: LIST, headers } },
  };
  for (const name of ['get', 'list']) {
    const body = await call(image, targets[name].request.path, { headers });
    const path = `/kept/${name}`;
    await call(echo, path, { method: 'PUT', body: JSON.stringify(body) });
    targets[`${name}Echo`] = { server: echo, request: { path, headers } };
  }
  return targets;
}

/** Every round asks each target in turn. The first warms up and does not count. */
async function runAll(bench, client, targets) {
  const rounds = bench.quick ? 2 : 5;
  const runs = Object.fromEntries(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    const seconds = round === 0 || bench.quick ? 1 : 2.5;
    for (const [name, { server, request }] of Object.entries(targets)) {
      const ahead = Math.ceil((runs[name].at(-1) ?? 0) * seconds * AHEAD);
      runs[name].push(await runOne(client, server, { request, seconds, ahead }));
    }
  }
  return Object.fromEntries(Object.entries(runs).map(([name, all]) => [name, all.slice(1)]));
}

/** Resolves to the rate of successful responses per second. */
async function runOne(client, { ready }, { request, seconds, ahead }) {
  const port = Number(new URL(ready.url).port);
  return (await client.ask({ port, connections: CONNECTIONS, seconds, request, ahead })) / seconds;
}

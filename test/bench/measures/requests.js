import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { call, processFile, startHelper, startSandbox, startServer } from '../harness/children.js';
import { ratioRow } from '../harness/table.js';

export const title = 'requests over 32 connections, against the other build or a Hono echo';

const CONNECTIONS = 32;
const WITHDRAWALS = 25;
/** How many requests are made ready before a round, as a share of what the round before asks for. */
const AHEAD = 1.3;
const CHARGE = '/api/public/v1/pix';
const LIST = `/api/public/v1/withdrawals?limit=${WITHDRAWALS}`;

/** Each target with the least share of the other build's rate. */
const GOALS = [
  { name: 'create charge, no image', target: 'plain', least: 0.5 },
  { name: 'create charge, with image', target: 'image', least: 0.25 },
  { name: 'create charge, on disk', target: 'durable', least: 0.25 },
  { name: 'get one charge', target: 'get', least: 0.5 },
  { name: `list ${WITHDRAWALS} withdrawals`, target: 'list', least: 0.5 },
];

/** @param {import('../run.js').Bench} bench */
export async function measure(bench) {
  const client = startHelper(bench, 'load-client.js');
  const ours = await startTargets(bench);
  const yardstick =
    bench.against === undefined ? await startEcho(bench) : await startTargets(bench, bench.against);
  try {
    const targets = GOALS.flatMap(({ target }) => [
      [`ours ${target}`, ours.targets[target]],
      [`yardstick ${target}`, yardstick.targets[target]],
    ]);
    const runs = await runAll(bench, client, Object.fromEntries(targets));
    return GOALS.map(({ name, target, least }) => {
      const yardsticks = runs[`yardstick ${target}`];
      const pairs = runs[`ours ${target}`].map((rate, round) => ({
        ours: rate,
        yardstick: yardsticks[round],
      }));
      const show = (rate) => `${rate.toFixed(0)}/s`;
      return ratioRow({ name, pairs, show, least: bench.against === undefined ? undefined : least });
    });
  } finally {
    await Promise.all([client, ...ours.servers, ...yardstick.servers].map((child) => child.stop()));
  }
}

/** Starts the sandboxes of a built checkout, with the request of each target. */
async function startTargets(bench, root) {
  const data = mkdtempSync(join(bench.folder, 'requests-'));
  const omit = ['--assume', 'charge.qr_image=omit'];
  const plain = await startSandbox(bench, omit, root);
  const image = await startSandbox(bench, [], root);
  const durable = await startSandbox(bench, [...omit, '--data', data], root);
  const { headers, ...charge } = chargeOf(image);
  const { id } = await call(image, '/_sandbox/charges', { method: 'POST' });
  for (let made = 0; made < WITHDRAWALS; made += 1) {
    await call(image, '/_sandbox/withdrawals', { method: 'POST' });
  }
  const targets = {
    plain: { server: plain, request: { path: CHARGE, headers, ...charge } },
    image: { server: image, request: { path: CHARGE, headers, ...charge } },
    durable: { server: durable, request: { path: CHARGE, headers, ...charge } },
    get: { server: image, request: { path: `/_sandbox/charges/${id}`, headers } },
    list: { server: image, request: { path: LIST, headers } },
  };
  return { servers: [plain, image, durable], targets };
}

/** An echo that gets the same requests, and returns bodies of the same length. */
async function startEcho(bench) {
  const [echo, sandbox] = [
    await startServer(bench, [processFile('echo-server.js')]),
    await startSandbox(bench),
  ];
  const charge = chargeOf(sandbox);
  const { headers } = charge;
  const create = { server: echo, request: { path: '/echo', ...charge } };
  const kept = async (name, body) => {
    await call(echo, `/kept/${name}`, { method: 'PUT', body: JSON.stringify(body) });
    return { server: echo, request: { path: `/kept/${name}`, headers } };
  };
  const one = await call(sandbox, '/_sandbox/charges', { method: 'POST' });
  const data = Array.from({ length: WITHDRAWALS }, () => ({ ...one, qr_code_base64: null }));
  const targets = {
    plain: create,
    image: create,
    durable: create,
    get: await kept('get', one),
    list: await kept('list', { data }),
  };
  return { servers: [echo, sandbox], targets };
}

function chargeOf({ ready }) {
  const { SANDBOX_TOKEN, SANDBOX_SIGNING_SECRET, SANDBOX_ACCOUNT_ID } = ready.env;
  const headers = { authorization: `Bearer ${SANDBOX_TOKEN}` };
  return { headers, accountId: SANDBOX_ACCOUNT_ID, signingSecret: SANDBOX_SIGNING_SECRET };
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

import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../helpers/cli/commands.js';
import { ExampleStage } from '../helpers/openapi/example-stage.js';
import { tries } from '../helpers/soak-scale.js';

/** Commands that start sandboxes, or ask none. */
const WITHOUT_ONE = [
  'start',
  'explore',
  'parity probe',
  'parity check',
  'exec',
  'fixtures list',
  'fixtures show',
  'fixtures export',
  'init',
  'config',
  'mcp',
  'completion',
  'help',
];
/** Keeps polling for a sandbox in the server's place, or opens a tunnel first. */
const OTHERWISE = /^wait ready|--tunnel/;

const lines = COMMANDS.filter(({ name }) => !WITHOUT_ONE.includes(name)).flatMap(({ name, examples }) =>
  examples
    .map((example) => `${name} ${example}`.replace(/ >.*/, '').trim())
    .filter((line) => !OTHERWISE.test(line))
    .map((line) => ({ name, line })),
);

const ERROR = '{"error":{"code":"NOT_FOUND","message":"Not here.","request_id":"r","details":[]}}';
const READY =
  '{"ready":true,"live":true,"version":"1","instance_id":"i","pid":0,"now":"2026-01-01T00:00:00Z"}';
type Reply = readonly [status: number, body: string];
const PART: readonly Reply[] = [
  [200, '[]'],
  [200, 'null'],
  [200, READY],
  [302, ''],
  [400, '{"error":{}}'],
];
const WHOLE: readonly Reply[] = [
  ...PART,
  [200, '{}'],
  [200, '7'],
  [200, '"text"'],
  [200, '<h1>It works!</h1>'],
  [200, ''],
  [200, '[{"id":"x"}]'],
  [200, '{"data":[{}],"paging":{"after":null}}'],
  [200, 'data: {}\n\n'],
  [204, ''],
  [404, ERROR],
  [500, 'null'],
];

let stage: ExampleStage;
let server: Server;
let url: string;
let respond: Reply = [200, '{}'];
let asked = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url?.startsWith('/_sandbox/')) asked += 1;
    request.resume();
    const [status, body] = respond;
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stage = await ExampleStage.open();
  await stage.before('state compare');
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

/** Runs a line against the server; returns how it failed, or that it did not ask the server at all. */
async function run(line: string): Promise<string> {
  asked = 0;
  const env = { ...stage.env, SANDBOX_URL: url };
  try {
    const { exitCode, stdout, stderr } = await stage.run(line, { env });
    if (asked === 0) return 'asked nothing';
    const isTold = `${stdout}${stderr}`.includes(`${url} responded with HTTP ${respond[0]}, but it is not`);
    const code = /"code":"(\w+)"/.exec(stdout)?.[1] ?? 'NOT_A_SANDBOX';
    return isTold ? `${exitCode} ${code}` : `${exitCode} ${stdout}${stderr}`;
  } catch (error) {
    return `throws ${String(error)}`;
  }
}

test('every example that contacts a server without our header exits with 1, at least one per command', async () => {
  respond = [200, '{}'];
  const withParentEntry = new Set<string>();
  const wrong: string[] = [];
  for (const { name, line } of lines) {
    const result = await run(line);
    if (result !== 'asked nothing') withParentEntry.add(name);
    if (!['asked nothing', '1 NOT_A_SANDBOX'].includes(result)) wrong.push(`${line}: ${result}`);
  }
  expect(wrong).toEqual([]);
  expect(COMMANDS.map(({ name }) => name).filter((name) => !withParentEntry.has(name))).toEqual(WITHOUT_ONE);
});

test.each(tries({ part: PART, whole: WHOLE }))(
  'no command accepts HTTP %i with %j as a sandbox',
  async (...response) => {
    respond = response;
    const wrong: string[] = [];
    for (const name of new Set(lines.map((each) => each.name))) {
      for (const { line } of lines.filter((each) => each.name === name)) {
        const result = await run(line.includes('--json') ? line : `${line} --json`);
        if (result === 'asked nothing') continue;
        if (result !== '1 NOT_A_SANDBOX') wrong.push(`${line}: ${result}`);
        break;
      }
    }
    expect(wrong).toEqual([]);
  },
);

test('wait ready reports at its timeout that the server is not a sandbox', async () => {
  respond = [200, READY];
  const { exitCode, stderr } = await stage.run('wait ready --timeout 150ms', {
    env: { ...stage.env, SANDBOX_URL: url },
  });
  expect(exitCode).toBe(4);
  expect(stderr).toContain(`${url} responds, but it is not a sandbox.`);
});

import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Project, type Ran } from '../helpers/e2e/e2e.js';

const ACCOUNT = '11111111-1111-4111-8111-111111111111';
const ENV = {
  PARITY_TOKEN: 'parity-token-0123456789',
  PARITY_SIGNING_SECRET: 'parity-signing-secret-0123456789',
  PARITY_ACCOUNT_ID: ACCOUNT,
};
const PAGE = JSON.stringify({ data: [{ id: ACCOUNT, environment: 'TEST' }], paging: {} });

interface FakeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Serves fixed responses, and counts the requests. */
async function serve(reply: (index: number) => FakeReply = () => ({ status: 200, body: PAGE })) {
  const requests: { readonly line: string; readonly bearer: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { status, headers, body = '{}' } = reply(requests.length);
    requests.push({ line: `${request.method} ${request.url}`, bearer: request.headers.authorization });
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests,
    came: async (count: number) => {
      while (requests.length < count) await once(server, 'request');
    },
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const stopAt =
  (wanted: number, status: number, headers: Readonly<Record<string, string>> = {}) =>
  (index: number): FakeReply =>
    index === wanted ? { status, headers } : { status: 200, body: PAGE };

const probe = (origin: string, ...more: readonly string[]) => [
  'parity',
  'probe',
  '--against',
  origin,
  ...more,
];

function stateFiles({ stateHome }: Project): readonly string[] {
  const folder = join(stateHome, 'pix-sandbox');
  return readdirSync(folder).map((name) => join(folder, name));
}

const THEIRS = ['signature.encoding=base64', 'signature.tolerance=2m', 'charge.unknown_fields=refuse'];
const CONFIG = { port: 4400, assume: ['charge.lifetime=15m', 'signature.tolerance=1m'], kyc: 'off' };
/** Credentials, documents and names that nothing may contain. */
const PRIVATE = ['pix_test_token', 'pix_test_signing', 'whsec_', '52998224725', 'Maria'];

/** A finished probe of a second process. It takes almost a minute, during which the other tests run. */
const project = new Project();
const server = new Project();
let against = '';
let finished: Promise<Ran & { readonly durationMs: number }>;

beforeAll(async () => {
  const assume = THEIRS.flatMap((pair) => ['--assume', pair]);
  const started = ['start', '--detach', '--port', '0', ...assume];
  const { url, env } = await server.json<{ url: string; env: Record<string, string> }>(started);
  against = url;
  for (let count = 0; count < 2; count += 1) await server.ask(['withdrawals', 'create']);
  project.write('sandbox.config.json', `${JSON.stringify(CONFIG, null, 4)}\n`);
  const startedMs = Date.now();
  finished = project
    .run(probe(url, '--yes', '--write'), {
      env: {
        PARITY_TOKEN: env['SANDBOX_TOKEN'] ?? '',
        PARITY_SIGNING_SECRET: env['SANDBOX_SIGNING_SECRET'] ?? '',
        PARITY_ACCOUNT_ID: env['SANDBOX_ACCOUNT_ID'] ?? '',
      },
    })
    .then((ran) => ({ ...ran, durationMs: Date.now() - startedMs }));
});

afterAll(async () => {
  await server.run(['stop']);
  server[Symbol.dispose]();
  project[Symbol.dispose]();
});

const SANDBOX_ENV = {
  SANDBOX_TOKEN: 'sandbox-token',
  SANDBOX_SIGNING_SECRET: 'sandbox-secret',
  SANDBOX_ACCOUNT_ID: ACCOUNT,
};
type Usage = readonly [title: string, args: readonly string[], env: Record<string, string>, says: RegExp];

describe('usage errors, before any request', () => {
  const YES = ['--yes'];
  test.each<Usage>([
    ['without credentials', YES, {}, /requires PARITY_TOKEN, PARITY_SIGNING_SECRET, PARITY_ACCOUNT_ID in/],
    [
      'with credentials of the sandbox',
      YES,
      SANDBOX_ENV,
      /requires PARITY_TOKEN.*\n?.*SANDBOX_\* variables are/s,
    ],
    ['without the secret', YES, { ...ENV, PARITY_SIGNING_SECRET: ' ' }, /requires PARITY_SIGNING_SECRET in/],
    [
      'with an account that is no UUID',
      YES,
      { ...ENV, PARITY_ACCOUNT_ID: 'abc' },
      /ACCOUNT_ID must be a UUID/,
    ],
    ['without a terminal and --yes', [], ENV, /requires a terminal.*--yes/s],
    ['with --sessions only', [...YES, '--sessions'], ENV, /--sessions requires --against-kyc/],
    ['with --wait only', [...YES, '--wait', '1m'], ENV, /--wait requires --endpoint/],
    [
      'with --endpoint-port only',
      [...YES, '--endpoint-port', '1'],
      ENV,
      /--endpoint-port requires --endpoint/,
    ],
    [
      'with an http endpoint',
      [...YES, '--endpoint', 'http://x.example'],
      ENV,
      /--endpoint must be an https URL/,
    ],
    ['with an invalid wait', [...YES, '--endpoint', 'https://x.example', '--wait', 'soon'], ENV, /--wait/],
    ['without the identity token', [...YES, '--against-kyc', 'ORIGIN'], ENV, /requires PARITY_KYC_TOKEN in/],
    ['with an unknown option', [...YES, '--everything'], ENV, /--everything/],
  ])('exits with 2 %s', async (_title, args, env, says) => {
    await using counting = await serve();
    using place = new Project();
    const words = args.map((word) => (word === 'ORIGIN' ? counting.origin : word));
    const ran = await place.run(probe(counting.origin, ...words), { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(says) });
    expect(counting.requests).toEqual([]);
  });

  test.each([
    ['http://api.example', /--against must be an https URL; got http:/],
    ['http://127.0.0.1.example', /must be an https URL/],
    ['http://192.168.0.1', /must be an https URL/],
    ['ftp://127.0.0.1', /must be an https URL/],
    ['api.example', /must be an https URL/],
    ['https://api.example/v1', /must be an origin/],
    ['https://user:secret@api.example', /must be an origin/],
  ])('exits with 2 for --against %s', async (url, says) => {
    using place = new Project();
    const ran = await place.run(probe(url, '--yes'), { env: ENV });
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(says) });
  });

  test('exits with 2 instead of replacing the facts of another server', async () => {
    await using counting = await serve();
    using place = new Project();
    const record = JSON.stringify({ format: 1, version: '1', against: 'https://api.example', facts: {} });
    place.write('parity.json', record);
    const ran = await place.run(probe(counting.origin, '--yes'), { env: ENV });
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the facts of https://api.example'),
    });
    expect(counting.requests).toEqual([]);
    expect(readFileSync(join(place.folder, 'parity.json'), 'utf8')).toBe(record);
  });

  test('exits with 2 without --against', async () => {
    using place = new Project();
    const ran = await place.run(['parity', 'probe', '--yes'], { env: ENV });
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('requires an address') });
  });

  test.each([
    ['state', (place: Project) => writeFileSync(place.stateHome, '')],
    ['results', ({ folder }: Project) => mkdirSync(join(folder, 'parity.json'))],
  ])('exits with 2 if the %s cannot be written', async (_title, prepare) => {
    await using counting = await serve();
    using place = new Project();
    prepare(place);
    const ran = await place.run(probe(counting.origin, '--yes'), { env: ENV });
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^error\b.* Cannot /m) });
    expect(counting.requests).toEqual([]);
  });
});

describe('stops and resumes', () => {
  test('exits with 4 after Ctrl-C, and the same command resumes', async () => {
    await using counting = await serve(stopAt(8, 423));
    using place = new Project();
    await using running = place.spawn(probe(counting.origin.replace('127.0.0.1', 'localhost'), '--yes'), {
      env: ENV,
    });
    await running.stderr.next('Plan for');
    await counting.came(4);
    expect(await running.leave()).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('Interrupted. The same command resumes'),
    });
    const first = counting.requests.length;
    const resumed = await place.run(probe(counting.origin.replace('127.0.0.1', 'localhost'), '--yes'), {
      env: ENV,
    });
    expect(resumed).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/Resuming the earlier probe.*423/s),
    });
    const lines = counting.requests.map(({ line }) => line);
    expect(lines.length).toBeGreaterThan(first);
    expect(lines.filter((line) => /withdrawals\?limit=50|transactions\?limit=50/.test(line))).toHaveLength(2);
    expect(lines.every((line) => line.startsWith('GET '))).toBe(true);
  });

  test.concurrent('stops at 429, states what to do, and waits as long as the server asked', async () => {
    await using counting = await serve(stopAt(2, 429, { 'retry-after': '600' }));
    using place = new Project();
    const run = () =>
      place.run(probe(counting.origin, '--yes', '--json'), { env: { ...ENV, ...SANDBOX_ENV } });
    const stopped = await run();
    expect(stopped.exitCode).toBe(1);
    const { error } = JSON.parse(stopped.stdout) as { error: Record<string, string> };
    expect(error).toMatchObject({
      code: 'PROBE_STOPPED',
      message: expect.stringContaining('returned 429; the probe stops to protect the application'),
      hint: expect.stringMatching(
        /^Run the same command again after \d{4}-.*, as the server asks: it resumes\.$/,
      ),
    });
    expect(counting.requests.map(({ bearer }) => bearer)).toEqual(
      Array(3).fill(`Bearer ${ENV.PARITY_TOKEN}`),
    );
    expect(await run()).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('asked to wait until'),
    });
    expect(counting.requests).toHaveLength(3);
    const [state = ''] = stateFiles(place);
    expect(statSync(state).mode & 0o777).toBe(0o600);
    expect(readFileSync(state, 'utf8')).not.toMatch(/parity-(?:token|signing)/);
  });

  test.concurrent('sends only GETs to a server that states no environment; --json prints one object', async () => {
    await using counting = await serve(() => ({ status: 200, body: '{"data":[]}' }));
    using place = new Project();
    const ran = await place.run(probe(counting.origin, '--yes', '--json'), { env: ENV });
    expect(ran).toMatchObject({ exitCode: 1, stderr: '', stdout: expect.stringMatching(/^\{.*\}$/) });
    const { ok, facts } = JSON.parse(ran.stdout) as { ok: boolean; facts: Record<string, unknown>[] };
    expect(ok).toBe(false);
    expect(facts.find(({ id }) => id === 'signature.path')).toMatchObject({
      outcome: 'unknown',
      reason: expect.stringContaining('--environment-is-test'),
    });
    expect(counting.requests.map(({ line }) => line.split(' ')[0])).toEqual(
      Array(counting.requests.length).fill('GET'),
    );
  });

  test.concurrent('a damaged state file starts the probe again, and a first 401 names the token', async () => {
    await using counting = await serve((index) =>
      index === 1 ? { status: 403 } : { status: index > 1 ? 401 : 200 },
    );
    using place = new Project();
    await place.run(probe(counting.origin, '--yes'), { env: ENV });
    const [state = ''] = stateFiles(place);
    writeFileSync(state, readFileSync(state, 'utf8').slice(0, -20));
    const ran = await place.run(probe(counting.origin, '--yes'), { env: ENV });
    expect(ran).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/the token was refused.*PARITY_TOKEN/s),
    });
    expect(ran.stderr).not.toContain('Resuming');
    expect(counting.requests).toHaveLength(3);
  });

  test.concurrent('prints what a refused request created, without control characters', async () => {
    const body = JSON.stringify({ id: 'ep_1\u001b[2J', url: 'https://x.example', environment: 'TEST' });
    await using counting = await serve(() => ({ status: 200, body }));
    using place = new Project();
    const ran = await place.run(probe(counting.origin, '--yes'), { env: ENV });
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toMatch(
      /retry returned 200, although .* created: id ep_1.*, url https:\/\/x\.example/s,
    );
    expect(ran.stderr).not.toContain('\u001b');
    expect(counting.requests.at(-1)?.line).toMatch(/^POST .*retry$/);
  });
});

describe('the finished probe', () => {
  const check = (place: Project, ...args: readonly string[]) => place.run(['parity', 'check', ...args]);
  const expires = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

  /** A project with the results of the finished probe, and these settings. */
  function copyResults(config: object): Project {
    const place = new Project();
    place.write('parity.json', readFileSync(join(project.folder, 'parity.json')));
    place.write('sandbox.config.json', JSON.stringify(config));
    return place;
  }

  test('takes less than a minute, creates nothing, and writes settings and facts', async () => {
    const { exitCode, stdout, stderr, durationMs } = await finished;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(durationMs).toBeLessThan(60_000);
    for (const [id, from, to] of [
      ['signature.encoding', 'hex', 'base64'],
      ['signature.tolerance', '1m', '2m'],
      ['charge.unknown_fields', 'ignore', 'refuse'],
    ]) {
      expect(stdout).toContain(`-   "${id}": "${from}"\n+   "${id}": "${to}"`);
    }
    const text = readFileSync(join(project.folder, 'parity.json'), 'utf8');
    for (const secret of PRIVATE) expect(text + stdout + stderr).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({ format: 1, against });
    const settings = JSON.parse(readFileSync(join(project.folder, 'sandbox.config.json'), 'utf8')) as object;
    expect(settings).toEqual({
      ...CONFIG,
      assume: {
        'charge.lifetime': '15m',
        ...Object.fromEntries(THEIRS.map((pair) => pair.split('='))),
      },
    });
    const { data: calls } = await server.json<{ data: unknown[] }>(['calls', 'list']);
    expect(calls.length).toBeGreaterThan(35);
    expect(calls.length).toBeLessThanOrEqual(55);
    for (const list of ['charges', 'endpoints']) {
      expect(await server.ask<{ data: unknown[] }>([list, 'list'])).toMatchObject({ data: [] });
    }
    expect(stateFiles(project)).toEqual([]);
    expect(await check(project)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/ 0 differ\.$/),
    });
  });

  test('--write-baseline and --baseline accept known differences until they expire', async () => {
    await finished;
    using place = copyResults({
      assume: { 'charge.unknown_fields': 'refuse', 'signature.encoding': 'base64' },
    });
    const differing = await check(place, '--write-baseline', 'known.json', '--json');
    expect(differing.exitCode).toBe(1);
    expect(JSON.parse(differing.stdout)).toMatchObject({ ok: false, known: [], stale: [] });
    const baseline = JSON.parse(readFileSync(join(place.folder, 'known.json'), 'utf8')) as {
      checks: object[];
    };
    expect(baseline.checks).toEqual([
      { id: 'signature.tolerance', reason: expect.stringMatching(/\S/), expires: expires(90) },
    ]);
    const known = await check(place, '--baseline', 'known.json');
    expect(known).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('0 differ, 1 known') });
    const [entry] = baseline.checks;
    const CASES: readonly (readonly [entries: readonly object[], exitCode: number, says: RegExp])[] = [
      [[{ ...entry, expires: '2020-01-01' }], 1, /entry for signature\.tolerance expired on 2020-01-01/],
      [
        [entry as object, { ...entry, id: 'signature.path' }],
        1,
        /signature\.path passes; remove its baseline/,
      ],
      [[{ id: 'signature.tolerance', expires: expires(9) }], 2, /entries\.json:\d+:\d+ .*reason/s],
      [[{ ...entry, id: 'signature.tolerence' }], 2, /Unknown fact .*signature\.tolerance/],
      [[{ ...entry, reason: ' ' }], 2, /entries\.json:\d+:\d+ .*reason/s],
      [[{ ...entry, expires: 'soon' }], 2, /entries\.json:\d+:\d+ .*expires/s],
    ];
    for (const [checks, exitCode, says] of CASES) {
      place.write('entries.json', JSON.stringify({ checks }, null, 2));
      const ran = await check(place, '--baseline', 'entries.json');
      expect(ran.exitCode).toBe(exitCode);
      expect(ran.stdout + ran.stderr).toMatch(says);
    }
    expect(await check(place, '--baseline', 'missing.json')).toMatchObject({ exitCode: 2 });
  });

  test('check --write --json reports success once the settings cover all differences', async () => {
    await finished;
    using place = copyResults({ assume: { 'signature.encoding': 'base64' } });
    const written = await check(place, '--write', '--json');
    expect(written).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(written.stdout)).toMatchObject({ ok: true });
    const total = /: (\d+) match(?:, (\d+) not compared)?, 0 differ\.$/.exec((await check(place)).stdout);
    const { facts } = JSON.parse(written.stdout) as { facts: readonly { outcome: string }[] };
    const confirmed = facts.filter(({ outcome }) => outcome !== 'unknown').length;
    expect(Number(total?.[1])).toBe(confirmed);
  });

  test('check warns about old facts, and names differing ones', async () => {
    await finished;
    using place = copyResults({ assume: { 'signature.tolerance': '2m', 'signature.encoding': 'base64' } });
    const file = join(place.folder, 'parity.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/"observed": "[^"]+"/, '"observed": "2020-01-01"'),
    );
    const ran = await check(place, '--max-age', '30d');
    expect(ran).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/charge\.unknown_fields.*Observed on/s),
    });
    expect(ran.stderr).toMatch(/warning Observed more than 30 days ago: [a-z._]+\.$/m);
    expect((await check(place)).stderr).not.toContain('Observed more');
  });

  test('check exits with 2 for a missing or invalid file, with the position', async () => {
    await finished;
    using place = copyResults({});
    const file = join(place.folder, 'parity.json');
    const valid = readFileSync(file, 'utf8');
    for (const [text, says] of [
      [valid.slice(0, 40), /parity\.json:\d+:\d+ /],
      [valid.replace('"format": 1', '"format": 2'), /parity\.json:2:\d+ format/],
      [
        valid.replace(/"observed": "[^"]+"/, '"observed": "today"'),
        /parity\.json:\d+:\d+ facts\[.*observed: Expected a date/,
      ],
      ['', /parity\.json:1:1 /],
    ] as const) {
      writeFileSync(file, text);
      expect(await check(place)).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringMatching(says),
      });
    }
    rmSync(file);
    expect(await check(place)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/no parity\.json/),
    });
  });
});

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFailed, test } from 'vitest';
import { runLine, startLine } from '../helpers/cli/cli-line.js';
import { PlantedSecrets } from '../helpers/e2e/known-secrets.js';
import { CALLS, Life, startEcho } from '../helpers/e2e/secret-workload.js';
import { tempFolder } from '../helpers/temp-folder.js';

/** Set SEED to see a failure again. */
const SEED = process.env.SEED ?? randomBytes(8).toString('hex');
/** How many are planted: a few for each call. */
const LEAST = CALLS * 20;
/** What shows that secrets were about where these tests look. */
const SIGNS = [
  'it broke',
  'x-api-key: ',
  '["set-cookie","…"]',
  '/api/public/v1/pix?access_token=…',
  'hook?token=…&…#…',
];
const OWNER_ONLY = 0o600;

/** A listener with secrets in its options, and deliveries to it that fail. */
async function listen(life: Life, echo: string): Promise<void> {
  const { secrets } = life;
  const header = () =>
    `--header 'Authorization: Bearer ${secrets.text()}' --header 'X-Api-Key: ${secrets.text()}'`;
  const query = () => `${echo}/hook?token=${secrets.text()}&${secrets.text()}#${secrets.text()}`;
  for (const more of ['', ' --json']) {
    const listener = startLine(
      `listen --forward-to ${query()} --retries off ${header()}${more}`,
      life.options(),
    );
    await listener.said(more === '' ? 'Press Ctrl-C to stop' : '"ready"');
    await life.run('trigger pix.settled');
    listener.stop();
    await listener.exitCode;
    life.hear('listen', listener.stdout() + listener.stderr());
  }
}

/** Secrets where the settings may hold them, and where they do not belong. */
async function configure(life: Life): Promise<void> {
  const { folder } = life;
  const secret = () => life.secrets.text();
  const own = join(folder, 'own');
  mkdirSync(own);
  const write = (value: object) => writeFileSync(join(own, 'sandbox.config.json'), JSON.stringify(value));
  const env = { HOME: folder, XDG_STATE_HOME: own, XDG_CONFIG_HOME: own };
  write({
    header: [`Authorization: Bearer ${secret()}`, secret()],
    forwardTo: [
      `http://user:${secret()}@localhost:3000/?key=${secret()}`,
      `pix.*=user:${secret()}@localhost`,
    ],
    route: [`https://shop.example=http://user:${secret()}@localhost:3000`],
    tunnelHost: `https://user:${secret()}@relay.example/?token=${secret()}`,
  });
  for (const line of ['config', 'doctor', 'listen', 'exec -- true', 'start --port 0'])
    await life.run(line, { cwd: own, env });
  const twins = {
    SANDBOX_HEADER: `X-Key: ${secret()}\n${secret()}`,
    SANDBOX_FORWARD_TO: `ftp://u:${secret()}@x`,
    SANDBOX_PORT: secret(),
    SANDBOX_TUNNEL_HOST: `ftp://u:${secret()}@x/`,
  };
  for (const line of ['config', 'listen', 'doctor'])
    await life.run(line, { cwd: folder, env: { ...env, ...twins } });
  const wrong = { header: { authorization: secret() }, concurrency: secret(), forwardTo: { x: secret() } };
  write({ ...wrong, failOn: secret() });
  for (const line of ['config', 'listen --forward-to 1']) await life.run(line, { cwd: own, env });
  for (const line of [
    `listen --forward-to ftp://user:${secret()}@host/?token=${secret()}`,
    `listen --forward-to 3000 --header ${secret()}`,
    `listen --forward-to 3000 --header 'Bad Name: ${secret()}'`,
    `listen --forward-to 3000 --tunnel --tunnel-host https://u:${secret()}@relay.example`,
    `status --url http://user:${secret()}@127.0.0.1:9/?token=${secret()}`,
  ])
    await life.run(line);
  await life.run('status', { env: { ...env, SANDBOX_URL: `http://u:${secret()}@127.0.0.1:9` } });
}

/** Verifies with right and wrong secrets, from everywhere. */
async function verify(life: Life): Promise<void> {
  const { secrets, folder } = life;
  writeFileSync(join(folder, 'body.json'), '{"type":"pix.settled"}');
  const { stdout: headers } = await runLine('sign webhook body.json', life.options());
  writeFileSync(join(folder, 'headers.txt'), headers);
  writeFileSync(join(folder, 'secrets.txt'), `${secrets.webhook()}\n${secrets.webhook()}\n`);
  await life.run('verify body.json --headers headers.txt');
  await life.run('verify body.json --headers headers.txt --secret-file secrets.txt');
  await life.run(
    `verify body.json --headers headers.txt --secret ${secrets.webhook()} --secret ${secrets.webhook()}`,
  );
  await life.run(`verify body.json --headers headers.txt --secret ${secrets.text()}`);
  await life.run(`verify ${secrets.webhook()} --headers headers.txt`);
}

async function ids(life: Life, what: string): Promise<string[]> {
  const { stdout } = await runLine(`${what} list --json`, life.options());
  const { data } = JSON.parse(stdout) as { data: readonly { id?: string }[] };
  return data.slice(0, 4).map((row) => row.id ?? '');
}

/** Every command that shows something, but those that are asked for secrets. */
async function lookAround(life: Life): Promise<void> {
  for (const what of ['charges', 'deliveries', 'events', 'calls']) {
    await life.run(`${what} list`);
    for (const id of await ids(life, what)) await life.run(`${what} show ${id}`);
  }
  const lines = [
    'status',
    'assumptions',
    'withdrawals list',
    'endpoints list',
    'faults list',
    'clock show',
    'agenda',
    'state list',
    'logs --limit 2000',
    'logs --failed --limit 2000',
    'logs --source all --limit 2000',
    'logs --source deliveries',
    'wait idle',
    'wait ready',
    'doctor',
    'config',
    'clock advance 46h',
    'deliveries list --status FAILED',
    'deliveries retry --failed',
    'withdrawals create --amount 1.00',
    'run paid --junit report.xml',
    'run failed --fresh --junit fresh.xml',
    'run --record recorded.json --force',
    'state save here',
    'state restore here',
    'stop --url http://127.0.0.1:1',
    'completion bash',
    'help',
    'fixtures list',
    'charges show nobody',
    'events show nobody',
    'kyc show nobody',
    'kyc list --status nothing',
  ];
  for (const line of lines) await life.run(line);
  const { stdout, stderr } = await runLine('kyc list', life.options());
  life.hear('kyc list', stdout + stderr);
}

/** The files that a life left behind: those that are asked for and hold secrets, and the others. */
function filesOf(folder: string): { kept: string[]; others: string[] } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name));
  const given = /(?:body\.json|headers\.txt|secrets\.txt|sandbox\.config\.json)$/;
  const isKept = (file: string) => /\/(?:kept|state)\/|record\.ndjson$|exported\.json$/.test(file);
  return { kept: files.filter(isKept), others: files.filter((file) => !isKept(file) && !given.test(file)) };
}

/** A life from start to stop; what came to light, and what was not even looked at. */
async function live(secrets: PlantedSecrets): Promise<string[]> {
  using folder = tempFolder();
  folder.write('package.json', '{}');
  const life = new Life(secrets, folder.path);
  const echo = await startEcho(secrets);
  const origin = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
  const sandbox = await life.start('--data kept --record record.ndjson');
  const announced = [sandbox.stdout().length, sandbox.stderr().length] as const;
  await life.drawSecrets(origin);
  await listen(life, origin);
  await life.callAround();
  await configure(life);
  await verify(life);
  await lookAround(life);
  expect((await runLine('state export exported.json', life.options())).exitCode).toBe(0);
  const running = filesOf(folder.path);
  expect(running.kept.filter((file) => (statSync(file).mode & 0o777) !== OWNER_ONLY)).toEqual([]);
  expect(running.kept.length).toBeGreaterThan(3);
  sandbox.stop();
  expect(await sandbox.exitCode).toBe(130);
  echo.close();
  life.hear('start', sandbox.stdout().slice(announced[0]) + sandbox.stderr().slice(announced[1]));
  for (const file of running.others) life.hear(file, readFileSync(file, 'utf8'));
  expect(running.others.map((file) => file.slice(folder.path.length + 1))).toEqual(
    expect.arrayContaining(['report.xml', 'fresh.xml', 'recorded.json']),
  );
  const said = life.printed.map(([, text]) => text).join('\n');
  const leaks = life.printed.flatMap(([line, text]) =>
    secrets.foundIn(text).map((found) => `${line}: ${found}`),
  );
  return [...leaks, ...SIGNS.filter((sign) => !said.includes(sign)).map((sign) => `not seen: ${sign}`)];
}

describe('secrets', () => {
  test('secrets appear completely only in output that explicitly requests them', async () => {
    onTestFailed(() => {
      process.stderr.write(`\nSEED=${SEED}\n`);
    });
    const secrets = new PlantedSecrets(SEED);
    expect((await live(secrets)).slice(0, 20)).toEqual([]);
    expect(secrets.count).toBeGreaterThanOrEqual(LEAST);
  });
});

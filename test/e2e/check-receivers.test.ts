import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { CHECK_CATALOG } from '../../src/check/catalog.js';
import type { CheckReport } from '../../src/check/check.js';
import { runChecks } from '../../src/check/engine.js';
import { WELL_KNOWN_CREDENTIALS } from '../../src/sandbox/credentials.js';
import { createSandbox } from '../../src/testing/create-sandbox.js';
import { surprises } from '../helpers/check/receivers/matrix.js';
import { createCharge, serve, Stage } from '../helpers/check/receivers/stage.js';

// @ts-expect-error The example has no types.
import { createShop } from '../../fixtures/examples/shop/src/shop.js';
import { GUIDES, linesWith, startReceiver, whyNot } from '../helpers/documents/document-receivers.js';
import { Project } from '../helpers/e2e/e2e.js';
import { freePort } from '../helpers/free-port.js';
import { tries } from '../helpers/soak-scale.js';

/** Of each kind of check, for receivers that are slow to ask; the shop of the examples passes all of them. */
const SOME = [
  'accept.raw',
  'accept.types',
  'refuse.body',
  'refuse.old',
  'refuse.secret',
  'answer.get',
  'mix.orders',
  'dup.again',
  'dup.parallel',
  'dup.restart',
  'order.before-response',
  'order.expired-late',
  'order.returned',
];
const SHOP = join(import.meta.dirname, '../helpers/check/receivers/shop.py');

test.for(['dup.cut', 'accept.chunked', 'answer.get', 'answer.redirect'])(
  'a receiver behind a socket with the bug %s fails only its check',
  async (mistake) => {
    await using stage = await Stage.open();
    const shop = stage.shop({ issues: [mistake] });
    await using served = await serve(shop);
    const only = [mistake, 'accept.types', 'refuse.secret', 'dup.again', 'dup.restart', 'order.expired-late'];
    const report = await runChecks({ ...stage.checkOptions(shop), to: served.url, only });
    expect(surprises(mistake, report)).toEqual([]);
  },
);

test('a correct Python application passes the checks, strictly, even over a restart', async ({ skip }) => {
  const reason = await whyNot({ program: 'python3', probe: '--version' });
  skip(reason !== undefined, reason);
  using project = new Project();
  const [port, shopPort] = [String(await freePort()), String(await freePort())];
  const shop = `http://127.0.0.1:${shopPort}`;
  // The application; its first start and each later one get the environment block of the sandbox that is about to run, or runs.
  project.write(
    'restart.sh',
    `[ -f shop.pid ] && kill $(cat shop.pid)
python3 -B '${SHOP}' '${join(GUIDES, 'receivers')}' >shop.log 2>&1 &
echo $! >shop.pid
until grep -q Waiting shop.log; do sleep 0.1; done
`,
  );
  const env = {
    PORT: shopPort,
    SHOP_DATA: join(project.folder, 'shop.db'),
    SANDBOX_BASE_URL: `http://127.0.0.1:${port}`,
    SANDBOX_TOKEN: WELL_KNOWN_CREDENTIALS.token,
    SANDBOX_SIGNING_SECRET: WELL_KNOWN_CREDENTIALS.signingSecret,
    SANDBOX_ACCOUNT_ID: WELL_KNOWN_CREDENTIALS.accountId,
    SANDBOX_WEBHOOK_SECRET: WELL_KNOWN_CREDENTIALS.webhookSecret,
  };
  await execa('sh', ['restart.sh'], { cwd: project.folder, env, stdio: 'ignore' });
  try {
    const hooks = ['--probe', `${shop}/orders/{code}`, '--order', `curl -sf -X PUT ${shop}/orders/{code}`];
    const args = ['check', '--forward-to', `${shopPort}/webhooks`, '--port', port, ...hooks];
    const only = tries({ part: ['--only', SOME.join(',')], whole: [] });
    const words = [...args, '--restart', 'sh restart.sh', '--strict', '--json', ...only];
    const ran = await project.run(words, { env });
    const { checks } = JSON.parse(ran.stdout) as Pick<CheckReport, 'checks'>;
    expect(checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect([ran.exitCode, checks.length]).toEqual([
      0,
      tries({ part: SOME.length, whole: CHECK_CATALOG.length }),
    ]);
  } finally {
    await execa('sh', ['-c', 'kill $(cat shop.pid)'], { cwd: project.folder });
  }
});

test('leaves the project’s sandbox unchanged without an order command', async () => {
  using project = new Project();
  await using _sandbox = await project.start(['--freeze', '2026-01-31T12:00:00Z']);
  await using stage = await Stage.open();
  const shop = stage.shop();
  await using served = await serve(shop);
  await project.run(['trigger', 'pix.settled']);
  const state = () => project.run(['state', 'export']);
  const before = await state();
  const ran = await project.run(['check', '--forward-to', served.url.href, '--secret', stage.secret]);
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('refuse.prefix') });
  expect(before).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('pix.settled') });
  expect(await state()).toEqual(before);
});

test('the example shop passes every check, strictly, but for payouts and a database', async () => {
  await using sandbox = await createSandbox();
  const fulfilled: string[] = [];
  const shop = createShop(sandbox.env, { fulfil: ({ code }: { code: string }) => fulfilled.push(code) });
  const { ok, checks } = await sandbox.check({
    to: shop,
    probe: async ({ code }) => {
      const order = await (await shop.request(`/orders/${code}`)).text();
      return `${order} ${fulfilled.filter((one) => one === code).length}`;
    },
    order: ({ code }) => shop.request(`/orders/${code}`, { method: 'PUT', body: '{"amount":"49.90"}' }),
    skip: ['dup.restart', 'effect.amount', 'order.returned', 'order.returned-late'],
    strict: true,
  });
  expect(checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect([ok, checks.length]).toEqual([true, CHECK_CATALOG.length - 4]);
});

test('the receiver of the Python example passes the checks, strictly, but for the restart', async ({
  skip,
}) => {
  const reason = await whyNot({ program: 'python3', probe: '--version' });
  skip(reason !== undefined, reason);
  await using sandbox = await createSandbox();
  const folder = join(GUIDES, '../examples/python');
  await using receiver = await startReceiver(
    'exec python3 -B receiver.py',
    folder,
    sandbox.env.SANDBOX_WEBHOOK_SECRET,
  );
  const { ok, checks } = await sandbox.check({
    to: receiver.url,
    probe: ({ code }) => linesWith(receiver, code),
    order: ({ code }) => createCharge(sandbox, code),
    ...tries<{ only?: string[] }>({ part: { only: SOME }, whole: {} }),
    skip: ['dup.restart', 'effect.amount'],
    strict: true,
  });
  expect(checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect([ok, checks.length]).toEqual([
    true,
    tries({ part: SOME.length - 1, whole: CHECK_CATALOG.length - 2 }),
  ]);
});

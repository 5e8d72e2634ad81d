import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../../src/cli/program/program.js';
import { ControlClient, createFetchTransport } from '../../../src/client/control.js';
import type { Action } from '../../../src/console/model/actions.js';
import {
  clockActions,
  createCurlSnippet,
  deliveryActions,
  endpointActions,
  faultActions,
} from '../../../src/console/model/actions.js';
import {
  identityActions,
  incidentActions,
  listPaymentActions,
  receiverActions,
  RECEIVER_REPLIES,
} from '../../../src/console/model/actions.js';
import {
  SCENARIO_FILE,
  scenarioActions,
  stateActions,
  STATE_FILE,
} from '../../../src/console/model/actions.js';
import {
  createClockForms,
  createPaymentForm,
  createTriggerForm,
  type FormValues,
} from '../../../src/console/model/forms.js';
import type { PaymentKind } from '../../../src/contract/transitions.js';
import { createStateFile } from '../../../src/sandbox/state-file.js';
import { runLine } from '../../helpers/cli/cli-line.js';
import { type CliSandbox, cliSandbox, START_INSTANT } from '../../helpers/cli/cli-sandbox.js';
import { tempFolder } from '../../helpers/temp-folder.js';

const ANYWHERE = { routes: new Map<string, string>(), allowLocalEndpoints: true };
const EXPORTED = "it's a state.json";
const HOSTILE = `it's "$(echo)" -- \`x\``;
const LOCAL = 'http://localhost:9/webhooks';

/**
 * One of two sandboxes of the same seed: in one a button is pressed, in the other the command next to it is
 * typed.
 */
interface Twin extends CliSandbox {
  readonly client: ControlClient;
}

const folder = tempFolder();
let pressed: Twin;
let typed: Twin;

async function twin(): Promise<Twin> {
  const sandbox = await cliSandbox({ policy: ANYWHERE });
  const { url, fetch } = sandbox.server;
  const transport = createFetchTransport(url, (target, init) => fetch(new Request(url + target, init), {}));
  return { ...sandbox, client: new ControlClient(transport) };
}

beforeAll(async () => {
  [pressed, typed] = await Promise.all([twin(), twin()]);
});

afterAll(async () => {
  for (const each of [pressed, typed]) await each[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** What a sandbox holds, without what is outside of its world. */
async function stateOf({ client, server: { sandbox } }: Twin): Promise<unknown> {
  const { data } = await client.get('state/snapshots');
  return { snapshots: data, state: createStateFile({ world: sandbox.world, rate: sandbox.clock.rate }) };
}

/**
 * Does an action in one sandbox and its command in the other; both must come to the same. Returns the exit
 * code.
 */
async function expectSame({ command, run }: Action): Promise<number> {
  await run(pressed.client);
  const ran = await runLine(command ?? '', { env: { SANDBOX_URL: typed.server.url }, cwd: folder.path });
  expect([command, ran]).toEqual([command, { ...ran, exitCode: 0 }]);
  expect([command, await stateOf(typed)]).toEqual([command, await stateOf(pressed)]);
  return ran.exitCode;
}

const firstOf = (rows: Iterable<{ readonly id: string }>): string => [...rows][0]?.id ?? '';
const world = () => pressed.server.sandbox.world;
const endpoint = () => firstOf(world().endpoints.values());
const session = (index: number) => world().sessions.rows[index]?.id ?? '';

const STEPS: readonly (() => Action)[] = [
  () => deliveryActions.pause,
  () => endpointActions.create({ url: LOCAL, events: [] }),
  () =>
    endpointActions.create({
      url: `${LOCAL}/?a=1&b='2`,
      events: ['pix.settled', 'pix.failed'],
      description: HOSTILE,
      app: 'default',
    }),
  () => endpointActions.disable(endpoint()),
  () => endpointActions.enable(endpoint()),
  () => endpointActions.rotate(endpoint()),
  () => deliveryActions.retryFailed({ endpoint: endpoint() }),
  () => deliveryActions.resume,
  () =>
    faultActions.add({
      on: 'delivery',
      action: 'delay',
      event: 'pix.*',
      endpoint: endpoint(),
      attempt: 2,
      delay: '1s500ms',
      probability: 0.5,
      count: 3,
    }),
  () =>
    faultActions.add({
      on: 'call',
      action: 'status',
      api: 'api',
      method: 'POST',
      path: '/api/*',
      status: 503,
      every: 2,
      for: '10m',
    }),
  () => faultActions.add({ on: 'call', action: 'delay', delay: '3s' }),
  () => faultActions.add({ on: 'delivery', action: 'duplicate', copies: 2, parallel: true }),
  () => faultActions.remove(firstOf(world().faults.values())),
  () => faultActions.removeAll,
  () => incidentActions.start('half-down'),
  () => incidentActions.stop('half-down'),
  () => identityActions.create('business', 'default'),
  () => identityActions.create('individual', undefined),
  () => identityActions.decide(session(0), { error: 'CAMERA_DENIED' }),
  () =>
    identityActions.decide(session(0), { status: 'approved', document: '11.222.333/0001-81', delay: '5m' }),
  () => identityActions.decide(session(1), { status: 'under_review' }),
  () => identityActions.decide(session(1), { status: 'rejected' }),
  () => stateActions.save('before'),
  () => stateActions.save('-dash'),
  () => endpointActions.delete(endpoint()),
  () => stateActions.compare('before', '-dash'),
  () => stateActions.compare('before', undefined),
  () => stateActions.restore('before'),
  () => stateActions.drop('-dash'),
  () => stateActions.reset,
  () => stateActions.import(EXPORTED, JSON.parse(folder.read(EXPORTED).toString()) as object),
];

test('every button does the same as its command', async () => {
  folder.write(EXPORTED, JSON.stringify(await pressed.client.get('state')));
  for (const step of STEPS) expect(await expectSame(step())).toBe(0);
});

test('runs and records a scenario and exports a state by the displayed commands', async () => {
  folder.write('own scenario.json', JSON.stringify({ steps: [{ advance: '1h' }] }));
  const shown = [
    scenarioActions.run({ name: 'paid', fresh: true }),
    scenarioActions.run({ name: 'own scenario.json', scenario: {}, fresh: true }),
    scenarioActions.record(undefined),
    stateActions.export,
  ];
  for (const { command } of shown) {
    const ran = await runLine(command ?? '', { env: { SANDBOX_URL: typed.server.url }, cwd: folder.path });
    expect([command, ran]).toEqual([command, { ...ran, exitCode: 0 }]);
  }
  expect(JSON.parse(folder.read(SCENARIO_FILE).toString())).toHaveProperty('steps');
  expect(JSON.parse(folder.read(STATE_FILE).toString())).toHaveProperty('world');
});

const APPS = [
  ['', 'default'],
  ['the shop', 'the shop'],
] as const;
const trigger = (values: FormValues) => expectSame(createTriggerForm(APPS).prepare(values));
const create = (payment: PaymentKind, values: FormValues) =>
  expectSame(createPaymentForm(payment, APPS).prepare(values));

test.for<FormValues>([
  { type: 'pix.settled' },
  { type: 'pix.settled', amount: ' 12.50 ', code: 'order-1', payer_name: "Ana d'Ávila", payer_document: '' },
  { type: 'pix.settled', code: '--help', metadata: 'note=a b $HOME `x`\r\n\r\n"q"=\'1\'\n' },
  { type: 'pix.settled', code: '-x', late: 'on' },
  { type: 'pix.failed', reason: 'AB03', count: '3' },
  { type: 'pix.expired', reason: 'AB03', late: 'on', pix_key: 'is ignored' },
  { type: 'pix.settled', override: 'data.object.amount=1.00\ndata.object.payer_name:={"a": [1, "b c"]}\n' },
  { type: 'withdrawal.settled', pix_key: 'maria@example.com', payer_name: 'is ignored' },
  { type: 'withdrawal.failed', reason: 'AM04', metadata: 'k=v' },
])('a trigger and its command do the same: %j', async (values) => {
  expect(await trigger(values)).toBe(0);
});

test('a trigger of an existing payment and its command do the same, and preserve its fields', async () => {
  await create('charge', { amount: '10.00', code: 'order-7', metadata: 'a=b' });
  await trigger({ type: 'pix.settled', charge: 'order-7', amount: '1.00', late: 'on' });
  await create('withdrawal', { amount: '5.00', code: 'payout-7', pix_key: '52998224725' });
  expect(await trigger({ type: 'withdrawal.failed', withdrawal: 'payout-7', reason: 'FRAD' })).toBe(0);
});

test('payments of another application and their commands do the same', async () => {
  const [, [app]] = APPS;
  const body = { name: app, token: 'shop-token', signing_secret: 'shop-secret', opening_balance: '50.00' };
  for (const { client } of [pressed, typed]) await client.post('apps', { body });
  await create('charge', { amount: '10.00', code: 'order-8', app });
  await create('withdrawal', { amount: '5.00', code: 'payout-8', app });
  await trigger({ type: 'pix.settled', code: 'order-9', app });
  await create('charge', { amount: '10.00', code: 'order-8', app: '' });
  await trigger({ type: 'pix.expired', charge: 'order-8', app });
  const { data } = await pressed.client.get('charges', { app });
  expect(data.map(({ code, status }) => [code, status])).toEqual([
    ['order-9', 'SETTLED'],
    ['order-8', 'EXPIRED'],
  ]);
});

test('every move of a payment and its command do the same, in each of its states', async () => {
  const done: string[] = [];
  const { client } = pressed;
  const lives: readonly (readonly [PaymentKind, readonly string[]])[] = [
    ...['settle', 'fail', 'expire', 'payLate'].map((first) => ['charge', [first, 'payLate']] as const),
    ...['process', 'settle', 'fail'].map((first) => ['withdrawal', [first, 'settle', 'return']] as const),
  ];
  for (const [index, [kind, wanted]] of lives.entries()) {
    const id = `moved-${index}`;
    await create(kind, { amount: '5.00', code: id });
    for (const name of wanted) {
      const payment = await client.get(`${kind}s/:id` as 'charges/:id', { id });
      const move = listPaymentActions(kind, payment).find((one) => one.name === name);
      if (move === undefined) continue;
      await expectSame(move.action(kind === 'charge' && move.hasReason ? 'DS04' : undefined));
      done.push(name);
    }
  }
  expect(done.join(' ')).toBe('settle fail expire payLate payLate process settle return settle return fail');
});

test('clock changes and their commands do the same', async () => {
  const [advance, freeze, speed] = createClockForms();
  const instant = async () => (await pressed.client.get('clock')).now;
  await expectSame(advance?.prepare({ by: '1d12h' }) ?? clockActions.next);
  const now = await instant();
  const at = new Date(Date.parse(now) + 90_061_001).toISOString();
  await expectSame(clockActions.jump(at, Date.parse(now)));
  expect(await instant()).toBe(at);
  // What is overdue: only the passing of nothing can start it.
  await expectSame(clockActions.jump(START_INSTANT, Date.parse(at)));
  expect(await instant()).toBe(at);
  await expectSame(freeze?.prepare({ at: '2027-03-01T00:00:00Z' }) ?? clockActions.next);
  await expectSame(freeze?.prepare({ at: '' }) ?? clockActions.next);
  const { command, run } = speed?.prepare({ rate: '0.5' }) ?? clockActions.next;
  await run(pressed.client);
  await runLine(command ?? '', { env: { SANDBOX_URL: typed.server.url } });
  for (const { client } of [pressed, typed]) expect((await client.get('clock')).rate).toBe(0.5);
});

const BODY = `{"name":"O'Neill $(rm) \`x\` \\n","lines":"a\nb"}`;

/** The words that a shell makes of a command: quoted and bare parts, next to each other in one word. */
function shellWords(command: string): string[] {
  return Array.from(command.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g), ([word]) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  );
}

test.for<readonly [Action, string]>([
  [clockActions.next, 'clock next'],
  [clockActions.freeze(), 'clock freeze'],
  [clockActions.run, 'clock reset'],
  [clockActions.speed(60), 'clock speed 60'],
  [deliveryActions.retry('d-1'), 'deliveries retry d-1'],
  [deliveryActions.resend('evt_1', undefined), 'events resend evt_1'],
  [deliveryActions.resend('evt_1', 'e-1'), 'events resend evt_1 --endpoint e-1'],
  [deliveryActions.replay('req_1'), 'calls replay req_1'],
  [deliveryActions.replay('req_1', { newCode: true }), 'calls replay req_1 --new-code'],
  [deliveryActions.replay('req_1', { body: BODY }), `calls replay req_1 --body=${BODY}`],
  [deliveryActions.replay('req_1', { body: '' }), 'calls replay req_1 --body='],
  [deliveryActions.replay('req_1', { body: '-x' }), 'calls replay req_1 --body=-x'],
  [
    deliveryActions.retryFailed({ eventType: 'pix.*', endpoint: 'e-1' }),
    'deliveries retry --failed --event pix.* --endpoint e-1',
  ],
  ...RECEIVER_REPLIES.map((reply) => {
    const action = receiverActions.reply(reply);
    return [action, action.command ?? ''] as const;
  }),
])('$1: the program accepts what the console shows', async ([{ command }, words]) => {
  const line = shellWords(command ?? '');
  expect(line.join(' ')).toBe(words);
  const errors: string[] = [];
  const output = {
    out: () => undefined,
    err: (text: string) => void errors.push(text),
    program: 'npx sandbox',
  };
  let name = 'nothing';
  const run = (ran: { readonly name: string }) => {
    ({ name } = ran);
    return Promise.resolve(0);
  };
  expect([await runProgram(line, run, output), errors]).toEqual([0, []]);
  expect(words.startsWith(name)).toBe(true);
});

test('shows no command for a body that a terminal would read from a file', () => {
  expect(deliveryActions.replay('req_1', { body: '@file' }).command).toBeUndefined();
  expect(deliveryActions.replay('req_1', { body: '-' }).command).toBeUndefined();
});

test('the command in the setup signs as this sandbox requires', () => {
  const env = { SANDBOX_BASE_URL: 'http://127.0.0.1:7490', SANDBOX_ACCOUNT_ID: 'account-1' };
  const hex = { signatureEncoding: 'hex', digestEncoding: 'hex', pathForm: 'path' } as const;
  expect(createCurlSnippet(env, hex)).not.toMatch(/base64/);
  expect(createCurlSnippet(env, { ...hex, signatureEncoding: 'base64' })).toMatch(/base64/);
});

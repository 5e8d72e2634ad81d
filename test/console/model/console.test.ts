import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ControlClient,
  createFetchTransport,
  SandboxError,
  type Transport,
} from '../../../src/client/control.js';
import { type Console, formatPace, describeProblem } from '../../../src/console/model/console.js';
import { labelStep } from '../../../src/console/model/rows.js';
import type { HistoryStep } from '../../../src/console/model/histories.js';
import { PORTUGUESE_TEXTS } from '../../../src/console/words.js';
import { createSandbox } from '../../../src/testing/create-sandbox.js';
import { clientOf, Connection, openConsole, openSandbox, until } from '../../helpers/console/console.js';
import { fakeTimers } from '../../helpers/fake-timers.js';

const FROZEN = { port: false, freezeAt: '2026-01-31T12:00:00Z' } as const;

/** What people and programs do to a sandbox. */
const ACTS: Readonly<Record<string, (client: ControlClient, draw: number) => Promise<unknown>>> = {
  pay: (client) => client.post('trigger', { body: { type: 'pix.settled', count: 3 } }),
  withdraw: (client) => client.post('trigger', { body: { type: 'withdrawal.failed' } }),
  charge: (client) => client.post('charges', { body: {} }),
  good: (client) => client.post('receiver', { body: { answer: 200 } }),
  bad: (client) => client.post('receiver', { body: { answer: 500 } }),
  off: (client) => client.delete('receiver'),
  ahead: (client) => client.post('clock/advance', { body: { by: '3h' } }),
  far: (client) => client.post('clock/advance', { body: { by: '45h' } }),
  next: (client) => client.post('clock/next'),
  retry: (client) => client.post('deliveries/retry', { body: {} }),
  pause: (client) => client.post('deliveries/pause'),
  resume: (client) => client.post('deliveries/resume'),
  save: (client) => client.post('state/snapshots', { body: { name: 'one' } }),
  restore: (client) => client.post('state/snapshots/:name/restore', { name: 'one' }),
  reset: (client) => client.post('reset'),
  remove: async (client, draw) => {
    const { data } = await client.get('endpoints');
    const one = data[draw % Math.max(1, data.length)];
    return one && client.delete('endpoints/:id', { id: one.id });
  },
};
/** What happens to the connections of two tabs, of which the second hears what the first is told. */
const ACCIDENTS = ['cut', 'hold', 'release', 'restart', 'open'] as const;

const LIFE = fc.array(
  fc.record({
    act: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...Object.keys(ACTS)) },
      { weight: 1, arbitrary: fc.constantFrom(...ACCIDENTS) },
    ),
    draw: fc.nat(7),
  }),
  { minLength: 1, maxLength: 25 },
);

/** Everything that a screen with all of it open would read. */
function draw(model: Console): Record<string, unknown> {
  const newest = (kind: string) =>
    model.histories.steps.findLast(({ entry }) => entry.kind === kind && entry.id !== null)?.entry.id ?? '';
  const [call, event, delivery] = [newest('call'), newest('event'), newest('delivery')];
  const { now, rate, frozen, advancing } = model.clock() ?? {};
  const { resources } = model;
  const receiver = resources.get('receiver').value;
  const reads = [
    resources.get('agenda', { limit: 100 }),
    ...(call === '' ? [] : [resources.get('calls/:id', { id: call })]),
    ...(event === '' ? [] : [resources.get('events/:id', { id: event })]),
    ...(delivery === '' ? [] : [resources.get('deliveries/:id', { id: delivery })]),
    ...[event, delivery].filter((id) => id !== '').map((id) => resources.get('trace/:id', { id })),
  ].map(({ value, error }): unknown => (error === undefined ? value : describeProblem(error).text));
  const shown = { clock: { now, rate, frozen, advancing }, receiver, reads };
  model.resources.removeUnused();
  return shown;
}

function treesOf({ histories }: Console): unknown {
  const tree = (step: HistoryStep): unknown => [
    step.entry,
    labelStep(histories, step),
    ...histories.childrenOf(step).map(tree),
  ];
  return histories.roots.map(tree);
}

async function settle(model: Console, client: ControlClient): Promise<Record<string, unknown>> {
  const { data, newest } = await client.get('timeline', { limit: 1 });
  // Another run of the sandbox may have an entry of this number, too.
  const [last] = data;
  await until(`entry ${newest}: ${last?.title}`, () => {
    draw(model);
    const { feed, histories, resources } = model;
    return (
      model.clockKnown()?.advancing === false &&
      feed.newest === newest &&
      isDeepStrictEqual(histories.get(newest)?.entry, last) &&
      !resources.isLoading
    );
  });
  return draw(model);
}

test('a continuously updated console shows the same as one opened afterwards', async () => {
  fakeTimers();
  await fc.assert(
    fc.asyncProperty(LIFE, async (life) => {
      let sandbox = await createSandbox({ ...FROZEN, seed: 'one' });
      const connection = new Connection(() => sandbox);
      const { client } = connection;
      const [first, second] = [openConsole(client), openConsole(client)];
      await first.feed.begin();
      const ended = new AbortController();
      let isSecondOpen = false;
      const open = async () => {
        if (isSecondOpen) return;
        await second.feed.begin();
        isSecondOpen = true;
        await second.feed.loadMissed();
      };
      const streaming = first.feed.stream(ended.signal, (message) => {
        if (isSecondOpen) void second.feed.receive(message);
      });
      for (const { act, draw: drawn } of life) {
        draw(first);
        if (isSecondOpen) draw(second);
        if (act === 'cut') connection.cut();
        else if (act === 'hold') connection.hold();
        else if (act === 'release') connection.release();
        else if (act === 'open') await open();
        else if (act === 'restart') {
          await sandbox.close();
          sandbox = await createSandbox({ ...FROZEN, seed: 'two' });
          connection.cut();
        } else {
          await ACTS[act]?.(client, drawn).catch((error: unknown) => {
            if (!(error instanceof SandboxError)) throw error;
          });
        }
      }
      connection.release();
      await open();
      const afresh = openConsole(client);
      await afresh.feed.begin();
      const expected = await settle(afresh, client);
      for (const followed of [first, second]) {
        expect(await settle(followed, client)).toEqual(expected);
        expect(treesOf(followed)).toEqual(treesOf(afresh));
      }
      ended.abort();
      connection.cut();
      await until('the end of the stream', () => true);
      await sandbox.close();
      void streaming;
    }),
    {
      numRuns: 12,
      examples: [
        // A clock that was asked while it was moved, and nothing followed.
        [['reset', 'next', 'restore'].map((act) => ({ act, draw: 0 }))],
        // Another answer of the test receiver, and nothing followed.
        [['bad', 'good', 'cut'].map((act) => ({ act, draw: 0 }))],
      ],
    },
  );
});

test('performs requested actions immediately, sequentially', async () => {
  await using sandbox = await createSandbox(FROZEN);
  const console = openConsole(clientOf(sandbox));
  const done: string[] = [];
  const action = (name: string) => ({
    command: undefined,
    run: async (client: ControlClient) => {
      await client.post('trigger', { body: { type: 'pix.settled', with: { code: name } } });
      done.push(name);
    },
  });
  expect(await Promise.all([console.act(action('one'), 'One'), console.act(action('two'), 'Two')])).toEqual([
    { result: undefined },
    { result: undefined },
  ]);
  expect(done).toEqual(['one', 'two']);
});

const REAL = '2026-01-31T12:00:00.000Z';
const HOUR_MS = 3_600_000;

function clock(offsetMs: number, rate = 1) {
  const now = new Date(Date.parse(REAL) + offsetMs).toISOString();
  return { now, real_now: REAL, rate, frozen: rate === 0, advancing: false };
}

test.for([
  [0, 'real time'],
  [29_000, 'real time'],
  [45 * HOUR_MS, '45h ahead of real time'],
  [45 * HOUR_MS + 36 * 60_000 + 2, '45h36m ahead of real time'],
  [90_000, '2m ahead of real time'],
  [-9 * 60_000, '9m behind real time'],
  [-297.4 * 24 * HOUR_MS, '297d behind real time'],
] as const)('shows a clock that is %d ms ahead as running in %s', ([offsetMs, text]) => {
  expect(formatPace(clock(offsetMs))).toBe(text);
});

test('shows the offset in Portuguese, and none while the clock is frozen or fast', () => {
  expect(formatPace(clock(45 * HOUR_MS), PORTUGUESE_TEXTS)).toBe('45h à frente do tempo real');
  expect(formatPace(clock(45 * HOUR_MS, 0))).toBe('frozen');
  expect(formatPace(clock(45 * HOUR_MS, 60))).toBe('60× real time');
  expect(formatPace({ ...clock(0), advancing: true })).toBe('advancing');
  expect(formatPace(undefined)).toBe('');
});

test('reports older entries of a dropped response as missing, and requests them again', async () => {
  fakeTimers();
  const { sandbox, client } = await openSandbox();
  await client.post('trigger', { body: { type: 'pix.settled', count: 100 } });
  const transport = createFetchTransport(sandbox.url, (target, init) => sandbox.fetch(target, init));
  let isLost = true;
  const send: Transport['send'] = (sent) => {
    if (isLost && sent.target.includes('before=')) return Promise.reject(new Error('lost'));
    return transport.send(sent);
  };
  const model = openConsole(new ControlClient({ ...transport, send }));
  await model.feed.begin();
  await until('the loss to be said', () => !model.isConnected);
  expect(model.histories.get(1)).toBeUndefined();
  isLost = false;
  await until('the older entries', () => model.histories.get(1) !== undefined);
  expect(model.isConnected).toBe(true);
});

test('loads all entries of an action again once, and not what existed before', async () => {
  fakeTimers();
  const { sandbox, client } = await openSandbox();
  await client.post('trigger', { body: { type: 'pix.settled', count: 100 } });
  const transport = createFetchTransport(sandbox.url, (target, init) => sandbox.fetch(target, init));
  const asked: string[] = [];
  const send: Transport['send'] = (sent) => {
    asked.push(sent.target);
    return transport.send(sent);
  };
  const model = openConsole(new ControlClient({ ...transport, send }));
  await model.feed.begin();
  model.resources.get('agenda');
  await until('all entries', () => model.histories.get(1) !== undefined && !model.resources.isLoading);
  const count = () => asked.filter((target) => target.includes('/agenda')).length;
  expect(count()).toBe(1);
  const ended = new AbortController();
  void model.feed.stream(ended.signal, () => {});
  const before = model.feed.newest;
  await client.post('trigger', { body: { type: 'pix.settled' } });
  await until('its entries', () => {
    model.resources.get('agenda');
    return model.feed.newest > before + 3 && !model.resources.isLoading;
  });
  expect(count()).toBe(2);
  ended.abort();
});

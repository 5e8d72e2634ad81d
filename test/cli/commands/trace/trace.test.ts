import { expect, test } from 'vitest';
import { LIMITS } from '../../../../src/contract/limits.js';
import { stateSaid } from '../../../../src/sandbox/timeline/said.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';

test('prints a tree, how long after the first cause each step was, and what is due next', async () => {
  await using sandbox = await cliSandbox();
  await sandbox.run('charges create', { options: { code: 'order-1' } });
  const tree = async () =>
    (await sandbox.run('trace', { args: ['order-1'], columns: 80 })).stdout.trimEnd().split('\n');
  expect(await tree()).toEqual([
    '2026-01-01T00:00:00Z',
    '           charge.create',
    '           └ charge order-1  PENDING',
    '',
    'Due next',
    '  in 1d  charge order-1 expires',
  ]);
  await sandbox.run('clock advance', { args: ['1h'] });
  await sandbox.run('charges settle', { args: ['order-1'] });
  const { id } = sandbox.server.sandbox.world.charges.rows[0] ?? {};
  expect((await tree()).slice(2)).toEqual([
    '           ├ charge order-1  PENDING',
    `      +1h  └ charge.settle ${id}`,
    '      +1h    └ charge order-1 PENDING  SETTLED',
    '      +1h      └ pix.settled of order-1',
  ]);
});

test('names the scenario or the console that began a story', async () => {
  await using sandbox = await cliSandbox();
  const { server } = sandbox;
  const send = (path: string, sender: string, body: object) =>
    server.fetch(
      new Request(`${server.url}/_sandbox/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-sandbox-sender': sender },
        body: JSON.stringify(body),
      }),
      {},
    );
  await send('charges', 'console', { code: 'order-1' });
  await send('clock/advance', 'scenario late', { by: '25h' });
  const { stdout } = await sandbox.run('trace', { args: ['order-1'], columns: 80 });
  expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
    '           console: charge.create',
    '           ├ charge order-1  PENDING',
    '           └ scenario late: clock moved to 2026-01-02T01:00:00.000Z',
    '      +1d    └ charge order-1 expires',
    '      +1d      └ charge order-1 PENDING  EXPIRED',
    '      +1d        └ pix.expired of order-1',
  ]);
});

test.for([
  ['in part', 1],
  ['whole', 0],
])(
  'says that what led to it is not known, where it is %s older than the timeline',
  async ([, entriesLeft]) => {
    await using sandbox = await cliSandbox();
    await sandbox.run('trigger', { args: ['pix.settled'] });
    const { timeline, world } = sandbox.server.sandbox;
    for (let count = Number(entriesLeft); count < LIMITS.timelineKept; count += 1)
      timeline.note(stateSaid('saved'), 0, 0);
    const { stdout } = await sandbox.run('trace', { args: [world.events.rows[0]?.id ?? ''], columns: 80 });
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      '           pix.settled of charge-1',
      '',
      'It is older than the timeline: what led to it is not known.',
    ]);
  },
);

test('says with which state a restored charge came', async () => {
  await using sandbox = await cliSandbox();
  await sandbox.run('charges create', { options: { code: 'order-1' } });
  await sandbox.run('state save', { args: ['one'] });
  await sandbox.run('state restore', { args: ['one'] });
  const { stdout } = await sandbox.run('trace', { args: ['order-1'] });
  expect(stdout).toMatch(
    /\n\nIt came with the state that replaced another at \S+Z \(restored one\): what led to it is not known\.\n/,
  );
  expect(stdout).not.toContain('older than the timeline');
});

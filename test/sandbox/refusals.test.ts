import { expect, test } from 'vitest';
import { LIMITS } from '../../src/contract/limits.js';
import { LAST_INSTANT_MS } from '../../src/contract/time.js';
import { Refusal } from '../../src/contract/refusals.js';
import { readStateFile, createStateFile } from '../../src/sandbox/state-file.js';
import { Snapshots } from '../../src/sandbox/snapshots.js';
import { TestReceiver } from '../../src/sandbox/test-receiver.js';
import { readFilter } from '../../src/sandbox/timeline/filter.js';
import { refusalText, refusalTextOf, START_MS, TestWorld } from '../helpers/core/world.js';
import { settle, startSandbox, TestListener } from '../helpers/sandbox/sandbox.js';
import { rejectionOf } from '../helpers/thrown-by.js';

const state = createStateFile({ world: new TestWorld().world, rate: 0 });
const snapshot = (name: string) => ({ name, rate: 0, world: state.world });
const saved = (...names: string[]) => {
  const snapshots = new Snapshots();
  for (const name of names) snapshots.save(snapshot(name));
  return snapshots;
};
const full = () => saved(...Array.from({ length: LIMITS.snapshots }, (_, index) => `s${index}`));

const NAME_RULE =
  'Must be 1 to 64 unaccented letters, digits, hyphens, underscores or periods, without spaces, such as before-test-1';

test.each<[string, () => unknown, string]>([
  [
    'an empty name of a snapshot',
    () => saved(''),
    `INVALID_REQUEST The snapshot name is not valid. (name: ${NAME_RULE}; got "".)`,
  ],
  [
    'a long name of a snapshot',
    () => saved('a'.repeat(65)),
    `INVALID_REQUEST The snapshot name is not valid. (name: ${NAME_RULE}; got "${'a'.repeat(65)}".)`,
  ],
  [
    'a name with a space',
    () => saved('my state'),
    `INVALID_REQUEST The snapshot name is not valid. (name: ${NAME_RULE}; got "my state".)`,
  ],
  [
    'a name with a slash',
    () => saved('a/b'),
    `INVALID_REQUEST The snapshot name is not valid. (name: ${NAME_RULE}; got "a/b".)`,
  ],
  [
    'a snapshot beyond the limit',
    () => full().save(snapshot('more')),
    'INVALID_REQUEST The maximum of 32 snapshots has been reached. → Drop one with `npx sandbox state drop NAME`.',
  ],
  [
    'an unknown snapshot where there is none',
    () => saved().find('a'.repeat(65)),
    'NOT_FOUND There is no saved state aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa. → Saved states end with the sandbox; `npx sandbox state export FILE` keeps one.',
  ],
  [
    'an unknown snapshot',
    () => saved('a', 'b').find('c'),
    'NOT_FOUND There is no saved state c. → Saved states: a, b.',
  ],
  [
    'the drop of an unknown snapshot',
    () => saved('a').drop('b'),
    'NOT_FOUND There is no saved state b. → Saved states: a.',
  ],
  [
    'an invalid state',
    () => readStateFile(null),
    'INVALID_REQUEST This file is not a sandbox state file. → Use a file written by `npx sandbox state export`.',
  ],
  [
    'a text as a state',
    () => readStateFile('pix-sandbox-state'),
    'INVALID_REQUEST This file is not a sandbox state file. → Use a file written by `npx sandbox state export`.',
  ],
  [
    'another format',
    () => readStateFile({ ...state, format: 'x' }),
    'INVALID_REQUEST This file is not a sandbox state file. → Use a file written by `npx sandbox state export`.',
  ],
  [
    'a state without a rate',
    () => readStateFile({ ...state, rate: undefined }),
    'INVALID_REQUEST state.rate: expected a number from 0 to 100000; got nothing.',
  ],
  [
    'a state with a rate below 0',
    () => readStateFile({ ...state, rate: -1 }),
    'INVALID_REQUEST state.rate: expected a number from 0 to 100000; got -1.',
  ],
  [
    'a state with a rate too high',
    () => readStateFile({ ...state, rate: LIMITS.clockRate + 1 }),
    'INVALID_REQUEST state.rate: expected a number from 0 to 100000; got 100001.',
  ],
  [
    'a state with additional fields',
    () => readStateFile({ ...state, more: 1 }),
    'INVALID_REQUEST state.more: unknown field.',
  ],
  [
    'a state without a version',
    () => readStateFile({ ...state, version: 1 }),
    'INVALID_REQUEST state.version: expected a string; got 1.',
  ],
  [
    'a state without a notice',
    () => readStateFile({ ...state, notice: 1 }),
    'INVALID_REQUEST state.notice: expected a string; got 1.',
  ],
  [
    'a state without a world',
    () => readStateFile({ ...state, world: {} }),
    'INVALID_REQUEST head.seed: expected four 32-bit numbers; got nothing.',
  ],
  [
    'a state of another version',
    () => readStateFile({ ...state, core: 0, version: '0.0.1', world: {} }),
    'INVALID_REQUEST The state was written by core version 0 in pix-sandbox 0.0.1; this is core version 4. → Use the state with npx pix-sandbox@0.0.1, or start a new sandbox.',
  ],
  [
    'a filter with an unknown key',
    () => readFilter('kidn:call'),
    'INVALID_REQUEST Unknown filter key "kidn". Did you mean kind? → For example: status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"',
  ],
  [
    'a filter with a far key',
    () => readFilter('constructor:call'),
    'INVALID_REQUEST Unknown filter key "constructor". → For example: status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"',
  ],
  [
    'a filter with an unknown kind',
    () => readFilter('kind:calls'),
    'INVALID_REQUEST kind: expects one of call, command, change, event, delivery, attempt, clock, fault, listener, state; got calls. Did you mean call? → For example: status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"',
  ],
  [
    'a filter with an unknown state',
    () => readFilter('is:faild'),
    'INVALID_REQUEST is: expects one of failed, unmatched, faulted; got faild. Did you mean failed? → For example: status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"',
  ],
  [
    'a filter with an invalid status',
    () => readFilter('status:4x'),
    'INVALID_REQUEST status: expects a status such as 404 or 5xx; got 4x. → For example: status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"',
  ],
  [
    'a filter with an invalid duration',
    () => readFilter('since:soon'),
    'INVALID_REQUEST since: expects a duration such as 5m; got soon. → For example: status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"',
  ],
  [
    'a filter with an unclosed quote',
    () => readFilter('a "b'),
    'INVALID_REQUEST Unclosed quotation mark: "b → For example: status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"',
  ],
])('%s is rejected with what to do', (_what, act, words) => {
  expect(refusalTextOf(act)).toBe(words);
});

test('a snapshot replaces an existing one of its name, even without room for more', () => {
  const snapshots = full();
  snapshots.save(snapshot('s0'));
  expect(snapshots.list()).toHaveLength(LIMITS.snapshots);
  expect(snapshots.list().at(-1)?.name).toBe('s0');
  expect(saved('a'.repeat(64), 'A_z.-9').list()).toHaveLength(2);
});

test('a snapshot preserves the rate of the clock', () => {
  const sandbox = startSandbox();
  expect(sandbox.saveSnapshot('mine')).toMatchObject({ name: 'mine', rate: 0 });
});

test('a state file describes itself', () => {
  expect(state).toMatchObject({
    format: 'pix-sandbox-state',
    notice: 'This file contains tokens and secrets of a sandbox.',
    rate: 0,
  });
  expect(readStateFile({ ...state, rate: LIMITS.clockRate }).rate).toBe(LIMITS.clockRate);
});

test('a clock rejects impossible changes', async () => {
  const sandbox = startSandbox();
  const refused = async (target: number) =>
    refusalText(await rejectionOf(sandbox.travel.advanceTo(target), Refusal));
  const refusals = [await refused(START_MS - 1), await refused(LAST_INSTANT_MS + 1)];
  const listener = new TestListener(sandbox, { status: () => undefined });
  settle(sandbox);
  const first = sandbox.travel.advanceTo(START_MS + 60_000);
  refusals.push(await refused(START_MS + 1_000));
  expect(refusals).toEqual([
    'INVALID_REQUEST Sandbox time cannot move backward. → Start a sandbox with --freeze to begin at an earlier instant.',
    'INVALID_REQUEST The clock cannot move past the year 9999.',
    'CLOCK_BUSY Another clock advance is in progress. → Wait until it finishes, or stop it with Ctrl-C in its terminal.',
  ]);
  listener.answer(listener.received[0]);
  await first;
});

test('the test receiver rejects a used name', () => {
  const sandbox = startSandbox();
  const listener = new TestListener(sandbox, { name: 'test-receiver' });
  expect(refusalTextOf(() => new TestReceiver(sandbox).turnOn(200))).toBe(
    'ENDPOINT_ALREADY_EXISTS A listener named test-receiver is connected. → Stop that `listen` command or run it with another --name; the test receiver requires this name.',
  );
  expect(listener.endpoint.connected).toBe(true);
});

import { expect, test } from 'vitest';
import { progressLine } from '../../../../src/cli/commands/check/text.js';
import { fakeIo } from '../../../helpers/cli/cli-io.js';

/** Returns a `repeat` whose calls are made by `tick`. */
function manualRepeat() {
  let run: (() => void) | undefined;
  const repeat = (given: () => void) => {
    run = given;
    return () => {
      run = undefined;
    };
  };
  return { repeat, tick: () => run?.() };
}

test('a line is printed again and again without a terminal, also while one check runs', () => {
  const { io, stderr } = fakeIo();
  const { repeat, tick } = manualRepeat();
  const progress = progressLine(io, repeat);
  tick();
  progress.show({ running: ['dup.parallel', 'dup.cut'], done: 18, total: 46 });
  tick();
  tick();
  progress.show({ running: [], done: 46, total: 46 });
  tick();
  progress.end();
  tick();
  expect(stderr().trimEnd().split('\n')).toEqual([
    'waiting for the receiver to listen…',
    '18 of 46 checks, dup.parallel…',
    '18 of 46 checks, dup.parallel…',
    '46 of 46 checks',
  ]);
});

test('nothing is printed for JSON', () => {
  const { io, stderr } = fakeIo({ json: true });
  const { repeat, tick } = manualRepeat();
  const progress = progressLine(io, repeat);
  tick();
  progress.end();
  expect(stderr()).toBe('');
});

import { expect, test } from 'vitest';
import { createProgressLine } from '../../../src/cli/terminal/text.js';
import { fakeIo } from '../../helpers/cli/cli-io.js';

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

test('prints a line repeatedly without a terminal, even while one check runs', () => {
  const { io, stderr } = fakeIo();
  const { repeat, tick } = manualRepeat();
  const progress = createProgressLine(io, 'waiting…', repeat);
  tick();
  progress.show('18 of 46 checks');
  tick();
  tick();
  progress.show('46 of 46 checks');
  tick();
  progress.end();
  tick();
  expect(stderr().trimEnd().split('\n')).toEqual([
    'waiting…',
    '18 of 46 checks',
    '18 of 46 checks',
    '46 of 46 checks',
  ]);
});

test('prints nothing for JSON', () => {
  const { io, stderr } = fakeIo({ json: true });
  const { repeat, tick } = manualRepeat();
  const progress = createProgressLine(io, 'waiting…', repeat);
  tick();
  progress.end();
  expect(stderr()).toBe('');
});

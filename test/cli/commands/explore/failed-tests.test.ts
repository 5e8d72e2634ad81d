import { describe, expect, test } from 'vitest';
import { findFailedTests, findDecisiveLines } from '../../../../src/cli/commands/explore/child.js';

const OUTPUTS: readonly (readonly [runner: string, output: string, names: readonly string[]])[] = [
  [
    'node --test, piped',
    'TAP version 13\n# Subtest: credits once\n    not ok 1 - twice\n      ---\n      duration_ms: 1.5\nnot ok 1 - credits once\nok 2 - other\nnot ok 3 - later # TODO\n',
    ['credits once', 'twice'],
  ],
  [
    'node --test, on a terminal',
    '\u001B[31m✖ credits once (12.345ms)\u001B[39m\n✔ other (1ms)\n\n✖ failing tests:\n\n✖ credits once (12.345ms)\n',
    ['credits once'],
  ],
  [
    'vitest',
    '   × credits once 4ms\n FAIL  shop.test.ts > shop > credits once\nError: no\n',
    ['credits once', 'shop.test.ts > shop > credits once'],
  ],
  ['jest', 'FAIL ./shop.test.js\n  ● shop › credits once\n\n    expected 1\n', ['shop › credits once']],
  [
    'pytest',
    'FAILED tests/test_shop.py::test_once[a b] - assert 2 == 1\n1 failed in 0.02s\n',
    ['tests/test_shop.py::test_once[a b]'],
  ],
  ['unittest', 'FAIL: test_once (shop.Shop.test_once)\n----\n', ['test_once (shop.Shop.test_once)']],
  ['go', '--- FAIL: TestOnce (0.01s)\nFAIL\texample.com/shop\t0.1s\n', ['TestOnce']],
  ['rspec', 'rspec ./spec/shop_spec.rb:4 # Shop credits once\n', ['Shop credits once']],
  ['cargo', 'test shop::once ... FAILED\ntest shop::other ... ok\n', ['shop::once']],
  ['dotnet', '  Failed Shop.Tests.Once [12 ms]\n', ['Shop.Tests.Once']],
  ['phpunit', 'There was 1 failure:\n\n1) Shop\\Tests::testOnce\nFailed.\n', ['Shop\\Tests::testOnce']],
  ['mocha', '\r\n  1 failing\r\n\r\n  1) shop credits once:\r\n', ['shop credits once:']],
  ['none', 'assertion failed\nok 1 - fine\n', []],
];

describe('the names of failed tests', () => {
  test.each(OUTPUTS)('the names of failed tests are read from the output of %s', (_runner, output, names) => {
    expect(findFailedTests(output)).toEqual(names);
  });

  test('the names of failed tests are independent of the order in which tests end', () => {
    const lines = ['not ok 1 - b', 'not ok 2 - a', 'not ok 3 - b'];
    expect(findFailedTests(lines.join('\n'))).toEqual(['a', 'b']);
    expect(findFailedTests(lines.toReversed().join('\n'))).toEqual(['a', 'b']);
  });
});

test('are stored with the complete assertion output of a test runner', () => {
  const stack = Array.from({ length: 12 }, (_, index) => `    at step ${index}`);
  const block = [
    'not ok 1 - credits once',
    '  ---',
    '  error: |-',
    '    not equal',
    ...stack,
    '  expected: 1',
    '  actual: 2',
  ];
  expect(findDecisiveLines(['TAP version 13', ...block].join('\n'))).toEqual(block);
});

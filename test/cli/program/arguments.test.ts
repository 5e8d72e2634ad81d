import { expect, test } from 'vitest';
import { countOrUsage, durationOrUsage } from '../../../src/cli/program/arguments.js';
import { CliError, EXIT } from '../../../src/cli/program/errors.js';
import { thrownBy } from '../../helpers/thrown-by.js';

test.each(['30s', '1d12h', '500ms'])('the duration %s is taken as it is', (text) => {
  expect(durationOrUsage('--timeout', text)).toBe(text);
});

test.each(['', '30', 'soon', '-5s'])('%j is no duration', (text) => {
  const error = thrownBy(() => durationOrUsage('--timeout', text), CliError);
  expect(error.exitCode).toBe(EXIT.usage);
  expect(error.message).toBe(`--timeout must be a duration; got ${text}.`);
  expect(error.hint).toContain('1d12h');
});

test.each(['0', '-1', '1.5', 'many', ''])('%j is no count', (text) => {
  expect(thrownBy(() => countOrUsage('--count', text), CliError).exitCode).toBe(EXIT.usage);
});

test('a count is a whole number from 1 on', () => {
  expect(countOrUsage('--count', '12')).toBe('12');
});

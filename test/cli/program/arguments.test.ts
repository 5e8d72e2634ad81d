import { expect, test } from 'vitest';
import { countOrUsage, durationOrUsage, pageQuery, pathFor } from '../../../src/cli/program/arguments.js';
import { CliError, EXIT } from '../../../src/cli/program/errors.js';
import { Options } from '../../../src/cli/program/io.js';
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

test('the page query holds what was given', () => {
  expect(pageQuery(new Options({ limit: '5', after: 'x' }))).toEqual({
    limit: '5',
    after: 'x',
    before: undefined,
  });
});

test('a path escapes its parts and names the application', () => {
  expect(pathFor(['charges', 'a/b?c'], new Options({}))).toBe('charges/a%2Fb%3Fc');
  expect(pathFor(['charges', 'x', 'settle'], new Options({ app: 'shop & co' }))).toBe(
    'charges/x/settle?app=shop+%26+co',
  );
});

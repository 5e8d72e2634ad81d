import { describe, expect, test } from 'vitest';
import { CliError, EXIT_CODES, parseChoice, parseChoices } from '../../../src/cli/program/errors.js';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import { thrownBy } from '../../helpers/thrown-by.js';

describe('parseChoice', () => {
  test('returns the choice', () => {
    expect(parseChoice('event', 'pix.failed', EVENT_TYPES)).toBe('pix.failed');
  });

  test('suggests close choices and lists all', () => {
    const error = thrownBy(() => parseChoice('event', 'pix.setled', EVENT_TYPES), CliError);
    expect(error.exitCode).toBe(EXIT_CODES.usage);
    expect(error.message).toBe('Unknown event pix.setled.');
    expect(error.hint).toBe(`Did you mean pix.settled? Known: ${EVENT_TYPES.join(', ')}.`);
  });

  test('suggests nothing without a close choice', () => {
    const error = thrownBy(() => parseChoice('format', 'toml!', ['json', 'shell']), CliError);
    expect(error.hint).toBe('Known: json, shell.');
  });

  test('shows the input on one escaped line', () => {
    const error = thrownBy(() => parseChoice('event', '\u001b[31m\nx', EVENT_TYPES), CliError);
    expect(error.message).toBe('Unknown event \\x1b[31m x.');
    expect(thrownBy(() => parseChoice('event', '', EVENT_TYPES), CliError).message).toBe('Unknown event "".');
  });
});

test('parseChoices returns each choice once, in the order of the choices', () => {
  expect(parseChoices('event', 'withdrawal.failed, pix.settled,pix.settled', EVENT_TYPES)).toEqual([
    'pix.settled',
    'withdrawal.failed',
  ]);
  expect(() => parseChoices('event', 'pix.settled,', EVENT_TYPES)).toThrow('Unknown event "".');
});

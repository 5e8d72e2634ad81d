import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/program/command-table.js';
import { optionOf, SANDBOX_OPTIONS, settingOptions } from '../../../src/cli/program/sandbox-options.js';
import { SETTINGS } from '../../../src/config/settings.js';

function optionsOf(command: string) {
  return COMMANDS.find(({ name }) => name === command)?.options ?? [];
}

test('what both start and exec can be set to is what shapes a sandbox, and the switch that each says its own way', () => {
  const both = SETTINGS.filter(({ commands }) =>
    ['start', 'exec'].every((name) => commands.some((one) => one === name)),
  );
  expect(SANDBOX_OPTIONS).toEqual(both.filter(({ key }) => key !== 'quiet').map(optionOf));
});

test.each(['start', 'exec'])('%s takes it', (command) => {
  expect(optionsOf(command)).toEqual(expect.arrayContaining([...SANDBOX_OPTIONS]));
});

describe('an option says what holds without it', () => {
  test.each([
    ['port', '--port <port>', 'port to listen on; 0 takes a free one (default: 7490)', false],
    ['route', '--route <from=to>', 'deliver https://shop.example=http://localhost:3000', true],
    ['strict', '--strict', 'answer as the service does, and explain no signature', false],
  ] as const)('%s', (key, flags, description, list) => {
    expect(settingOptions(key)).toEqual([{ flags, description, list }]);
  });
});

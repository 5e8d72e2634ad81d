import { formatFlags as declaredFlags } from '../../src/cli/program/declaration.js';
import { describe, expect, test } from 'vitest';
import { RESERVED_VARIABLES } from '../../src/cli/program/configured-options.js';
import { COMMANDS } from '../helpers/cli/commands.js';
import {
  CONFIGURED_COMMANDS,
  getEnvironmentName,
  getSettingFlag,
  isRepeatable,
  getOptionName,
  SETTINGS,
} from '../../src/config/settings.js';
import { createEnvironmentBlock, WELL_KNOWN_CREDENTIALS } from '../../src/sandbox/credentials.js';

/** Options that are about one call, and so belong to no environment. */
const ONE_SHOT = {
  start: `--scenario --record --restart --detach --tunnel --tunnel-in-ci --pay-page --pay-buttons --name
    --timeout --simulate --duplicate --shuffle --delay --skip-verify --fresh --app`,
  exec: `--scenario --port --simulate --allow-unused --probe-forged --restart`,
  explore: `--budget --faults --only --pairs --probe --restart --jobs --out --junit --strict --scenario`,
  check: `--secret --secret-file --header --only
    --skip --require --allow-unobserved --strict --baseline --write-baseline --budget --wait --effect-timeout
    --probe-ignore --list --junit --html --verbose --yes-remote`,
  mcp: `--read-only --forward-to`,
  env: `--format`,
  listen: `--name --timeout --simulate --duplicate --shuffle --delay --print-secret --skip-verify --fresh --app
    --tunnel --tunnel-in-ci --secret --secret-file`,
};

interface Option {
  readonly flags: string;
  readonly list: boolean;
}

function optionsOf(command: string): readonly Option[] {
  const { options = {} } = COMMANDS.find(({ name }) => name === command) ?? {};
  return Object.entries(options).map(([key, option]) => {
    return { flags: declaredFlags(key, option), list: option.repeats ?? false };
  });
}

const nameOf = ({ flags }: Option) => flags.split(' ')[0] ?? '';

describe.each(CONFIGURED_COMMANDS)('%s', (command) => {
  const settings = SETTINGS.filter(({ commands }) => commands.some((name) => name === command));

  test('has an option for each of its settings, written as the setting says', () => {
    const options = optionsOf(command);
    const wanted = settings.map((setting) => ({
      flags: getSettingFlag(setting) + (setting.placeholder === undefined ? '' : ` <${setting.placeholder}>`),
      // `check` accepts one receiver, because it has one result.
      list: isRepeatable(setting) && !(command === 'check' && getOptionName(setting) === 'forwardTo'),
    }));
    expect(options).toEqual(expect.arrayContaining(wanted));
  });

  test('has no option that is undecided as a setting', () => {
    const known = new Set<string>([...settings.map(getSettingFlag), ...ONE_SHOT[command].split(/\s+/)]);
    expect(
      optionsOf(command)
        .map(nameOf)
        .filter((name) => !known.has(name)),
    ).toEqual([]);
  });
});

describe('setting names', () => {
  test('setting names are derived from the keys, each once', () => {
    const allowHost = SETTINGS.find(({ key }) => key === 'allowHost');
    if (allowHost === undefined) throw new Error('Expected a setting allowHost.');
    expect([getSettingFlag(allowHost), getEnvironmentName(allowHost)]).toEqual([
      '--allow-host',
      'SANDBOX_ALLOW_HOST',
    ]);
    expect(new Set(SETTINGS.map(getEnvironmentName)).size).toBe(SETTINGS.length);
    for (const command of CONFIGURED_COMMANDS) {
      const own = SETTINGS.filter(({ commands }) => commands.some((name) => name === command));
      const general = own.filter(({ key }) => !own.some((other) => other.key === `${command}.${key}`));
      expect(new Set(general.map(getSettingFlag)).size).toBe(general.length);
    }
  });

  test('setting names of one command start with it, and have the flag of the other setting', () => {
    const setting = SETTINGS.find(({ key }) => key === 'start.faults');
    if (setting === undefined) throw new Error('Expected a setting start.faults.');
    expect([
      getSettingFlag(setting) + (setting.placeholder === undefined ? '' : ` <${setting.placeholder}>`),
      getEnvironmentName(setting),
      getOptionName(setting),
    ]).toEqual(['--faults <path>', 'SANDBOX_START_FAULTS', 'faults']);
  });

  test('setting names in the environment differ from those passed to applications', () => {
    const block = Object.keys(createEnvironmentBlock('http://x', WELL_KNOWN_CREDENTIALS));
    expect(RESERVED_VARIABLES).toEqual(expect.arrayContaining(block));
    expect(SETTINGS.map(getEnvironmentName).filter((name) => RESERVED_VARIABLES.includes(name))).toEqual([]);
  });
});

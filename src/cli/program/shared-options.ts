import { EVENT_TYPES } from '../../contract/enums.js';
import { FAULT_DOORS } from '../../contract/fault-kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { ofTriggerOptions, type TriggerValues } from '../../contract/trigger-options.js';
import { inEnglish } from '../../text/i18n.js';
import { readOverrides } from '../../text/overrides.js';
import { described, files, rows, several, words } from '../completion/sources.js';
import type { OptionSpec } from './declaration.js';
import { choice, count, flag, text, texts, unixSeconds, valued, valuesOf } from './options.js';

/** Ids for examples: of the first endpoint, delivery and so on in a sandbox started with `--seed 7`. */
export const EXAMPLE_IDS = {
  endpoint: '4166cf64-0681-47ef-b2c8-3bab673a92c7',
  delivery: 'cab6ca71-fef6-405a-9743-4348dfe07b5d',
  event: 'evt_7f44f1d7f0f405a40954c63ba0e1b749',
  fault: '0f0204f4-efe2-40f9-a18c-baaa75a96c43',
  session: 'kyc_ea92f36b',
} as const;

/** Event types, and a pattern for each resource. */
export const EVENT_PATTERNS = [
  ...EVENT_TYPES,
  '*',
  ...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '.*'))),
];

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** Frameworks with a receiver template in `init`; `node` stands for none. */
export const FRAMEWORKS = [
  'express',
  'fastify',
  'nestjs',
  'next',
  'node',
  'fastapi',
  'flask',
  'none',
] as const;

export const TEST_RUNNERS = ['vitest', 'jest', 'mocha', 'ava', 'node', 'bun', 'pytest', 'none'] as const;

export const CI_SERVICES = ['github', 'none'] as const;

/** The doors whose calls are logged. */
export const CALL_DOORS = [...FAULT_DOORS, 'hosted'] as const;

export const PAGE = {
  limit: text('n', `rows per page, 1 to ${LIMITS.pageSizeMax}`),
  after: text('cursor', 'go on to older rows'),
  before: text('cursor', 'go back to newer rows'),
};

export const APP = { app: text('app', 'the application, by id or name', rows('apps')) };

export const OF_APP = { app: text('app', 'only of this application, by id or name', rows('apps')) };

/** The options of `trigger`. */
export const TRIGGER = ofTriggerOptions((option, name): OptionSpec<unknown> => {
  const { kind, placeholder = '', rows: list, choices = {} } = option;
  const description = inEnglish(option.description);
  if (kind === 'flag') return flag(description);
  if (kind === 'count') return count(placeholder, description);
  if (kind === 'text') return text(placeholder, description, list && rows(list));
  if (kind === 'choice')
    return { ...choice(placeholder, description, Object.keys(choices), name), values: described(choices) };
  const read: OptionSpec<unknown>['read'] = (given, flag) =>
    Array.isArray(given) ? valuesOf(flag, readOverrides(given.map(String))) : undefined;
  return { placeholder, description, repeats: true, read };
}) as { readonly [Name in keyof TriggerValues]-?: OptionSpec<TriggerValues[Name]> };

export const REASON = { reason: TRIGGER.reason };

/** Option for a simulated receiver instead of the application. */
export function simulate(description: string) {
  return text('steps', description, several(['500', 'timeout', 'reset', 'slow:3s', 'lost', 'ok']));
}

export function eventType(description: string) {
  return choice('event', description, EVENT_TYPES);
}

export function method(description: string) {
  return text('method', description, words(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']));
}

export const SECRET_FILE = { secretFile: text('file', 'a file with one secret per line', files) };

export const WEBHOOK_SECRETS = {
  secret: texts('secret', 'whsec_… (default: SANDBOX_WEBHOOK_SECRET, or the running sandbox’s)'),
  ...SECRET_FILE,
};

/** Whole Unix seconds, given as a number or as an instant with a zone. */
export function seconds(placeholder: string, description: string) {
  return valued({ placeholder, description }, unixSeconds);
}

export const WEBHOOK_SECRET_FACT = {
  name: 'SANDBOX_WEBHOOK_SECRET',
  meaning: 'the secret, where no --secret is given',
};

import { EVENT_TYPES, listReasons } from '../../contract/enums.js';
import { LIMITS } from '../../contract/limits.js';
import { mapTriggerOptions, type TriggerValues } from '../../contract/trigger-options.js';
import { selectEnglish } from '../../text/i18n.js';
import { readOverrides } from '../../text/overrides.js';
import {
  completeWithDescriptions,
  completeFiles,
  completeRows,
  completeList,
  completeWords,
} from '../completion/sources.js';
import type { OptionSpec } from './declaration.js';
import {
  defineChoice,
  defineCount,
  defineDuration,
  defineFlag,
  defineText,
  defineTexts,
  parseUnixSeconds,
  defineValue,
  parsePairs,
} from './options.js';

/** Ids for examples: the first endpoint, delivery, etc. of a sandbox started with `--seed 7`. */
export const EXAMPLE_IDS = {
  endpoint: '4166cf64-0681-47ef-b2c8-3bab673a92c7',
  delivery: 'cab6ca71-fef6-405a-9743-4348dfe07b5d',
  event: 'evt_7f44f1d7f0f405a40954c63ba0e1b749',
  fault: '0f0204f4-efe2-40f9-a18c-baaa75a96c43',
  session: 'kyc_ea92f36b',
} as const;

/** Event types and wildcard patterns. */
export const EVENT_PATTERN_VALUES = [
  ...EVENT_TYPES,
  '*',
  ...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '.*'))),
];

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** Frameworks with a receiver template in `init`; `node` uses no framework. */
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

/** Instruction files of coding agents. */
export const AGENT_FILES = ['AGENTS.md', 'CLAUDE.md', 'none'] as const;

export const PAGE_OPTIONS = {
  limit: defineText('n', `rows per page, 1 to ${LIMITS.pageSizeMax}`),
  after: defineText('cursor', 'continue with older rows'),
  before: defineText('cursor', 'go back to newer rows'),
};

export const APP_NAME_OPTION = {
  app: defineText('app', 'the application, by id or name', completeRows('apps')),
};

export const APP_OPTION = {
  app: defineText('app', 'limit to this application, by id or name', completeRows('apps')),
};

export const TRIGGER_COMMAND_OPTIONS = mapTriggerOptions((option, name): OptionSpec<unknown> => {
  const { kind, placeholder = '', rows: list, choices = {} } = option;
  const description = selectEnglish(option.description);
  if (kind === 'flag') return defineFlag(description);
  if (kind === 'count') return defineCount(placeholder, description);
  if (kind === 'text') return defineText(placeholder, description, list && completeRows(list));
  if (kind === 'choice')
    return {
      ...defineChoice(placeholder, description, Object.keys(choices), name),
      values: completeWithDescriptions(choices),
    };
  const read: OptionSpec<unknown>['read'] = (given, flag) =>
    Array.isArray(given) ? parsePairs(flag, readOverrides(given.map(String))) : undefined;
  return { placeholder, description, repeats: true, read };
}) as { readonly [Name in keyof TriggerValues]-?: OptionSpec<TriggerValues[Name]> };

/** Defines `--reason` for a transition; completes only its reasons. */
export function createReasonOption(move: string) {
  return {
    reason: { ...TRIGGER_COMMAND_OPTIONS.reason, values: completeWithDescriptions(listReasons(move)) },
  };
}

/** Waiting for the deliveries of events. */
export const WAIT_OPTIONS = {
  wait: defineFlag('wait until every delivery has ended; exits with 1 if one failed'),
  timeout: defineDuration('duration', 'time limit, in real time (default: 12s, with --wait 30s)'),
};

export const WAIT_EXITS = {
  1: 'refused; with --wait: a delivery failed, or nothing receives the event',
  3: '',
  4: 'with --wait: not every delivery ended in time',
};

/** Defines the option that simulates a receiver instead of sending requests to the application. */
export function defineSimulate(description: string) {
  return defineText('steps', description, completeList(['500', 'timeout', 'reset', 'slow:3s', 'lost', 'ok']));
}

export function defineEventType(description: string) {
  return defineChoice('event', description, EVENT_TYPES);
}

export function defineMethod(description: string) {
  return defineText('method', description, completeWords(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']));
}

export const SECRET_FILE_OPTION = {
  secretFile: defineText('file', 'a file with one secret per line', completeFiles),
};

export const WEBHOOK_SECRET_OPTIONS = {
  secret: defineTexts('secret', 'whsec_… (default: SANDBOX_WEBHOOK_SECRET, or the running sandbox’s secret)'),
  ...SECRET_FILE_OPTION,
};

/** Defines a timestamp option: Unix seconds, or an instant with a time zone. */
export function defineSeconds(placeholder: string, description: string) {
  return defineValue({ placeholder, description }, parseUnixSeconds);
}

export const WEBHOOK_SECRET_FACT = {
  name: 'SANDBOX_WEBHOOK_SECRET',
  meaning: 'the secret, if --secret is not passed',
};

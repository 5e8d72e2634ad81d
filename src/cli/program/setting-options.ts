import type { Setting, SettingKey, SettingOf } from '../../config/settings.js';
import { getSettingFlag, isRepeatable, getOptionName, SETTINGS } from '../../config/settings.js';
import { parseRateLimit, RATE_FORM, type RateLimit } from '../../contract/rate-limit.js';
import { parseInstant } from '../../contract/time.js';
import type { ValueSource } from '../completion/sources.js';
import { completeFiles, completeFolders, completeList, completeWords } from '../completion/sources.js';
import { parseChoice, createUsageError } from './errors.js';
import type { OptionSpec } from './declaration.js';
import type { Duration, parseDelayOption } from './options.js';
import {
  defineChoices as someOf,
  defineDelay,
  defineDuration,
  defineFlag,
  defineText,
  defineTexts,
  defineValue,
} from './options.js';
import { EVENT_PATTERN_VALUES } from './shared-options.js';

/** A rate limit, with its text for reproduction commands. */
type RateOption = RateLimit & { readonly text: string };
type Lists = 'list' | 'assumptions' | 'routes' | 'variables';

/** Maps each kind of setting to its option type. */
type ReadAs<Each extends Omit<Setting, 'key'>> = Each['kind'] extends 'switch'
  ? boolean
  : Each['kind'] extends Lists
    ? readonly string[]
    : Each['kind'] extends 'count' | 'instant'
      ? number | undefined
      : Each['kind'] extends 'duration'
        ? Duration | undefined
        : Each['kind'] extends 'delay'
          ? ReturnType<typeof parseDelayOption> | undefined
          : Each['kind'] extends 'rate'
            ? RateOption | undefined
            : Each extends { readonly choices: readonly (infer Choice)[] }
              ? (Each['kind'] extends 'words' ? readonly Choice[] : Choice) | undefined
              : string | undefined;

type OptionsOf<Key extends SettingKey> = {
  readonly [Each in Key as Each extends `${string}.${infer Name}` ? Name : Each]: OptionSpec<
    ReadAs<SettingOf<Each>>
  >;
};

/** Defines the options for the named settings. */
export function defineSettings<const Key extends SettingKey>(...keys: readonly Key[]): OptionsOf<Key> {
  const chosen = SETTINGS.filter(({ key }) => keys.some((wanted) => wanted === key));
  return Object.fromEntries(
    chosen.map((setting) => [getOptionName(setting), settingOption(setting)]),
  ) as OptionsOf<Key>;
}

/**
 * Lists every setting as an option of `config`. Validates values in the same way as other commands, but
 * returns the unparsed text.
 */
export function listUnreadSettings(): Readonly<Record<string, OptionSpec<unknown>>> {
  const ofEveryCommand = SETTINGS.filter((setting) => getOptionName(setting) === setting.key);
  return Object.fromEntries(
    ofEveryCommand.map((setting) => {
      const option = settingOption(setting);
      const read = (given: unknown, name: string) => {
        option.read(given, name);
        return given;
      };
      return [setting.key, { ...option, read }];
    }),
  );
}

function settingOption(setting: Setting): OptionSpec<unknown> {
  const { kind, placeholder = '', fallback, choices } = setting;
  // Flags are off by default, so the help omits their default.
  const otherwise = fallback === undefined || kind === 'switch' ? '' : ` (default: ${fallback})`;
  const description = setting.description + otherwise;
  const values = valuesOf(setting);
  if (kind === 'switch') return defineFlag(description);
  if (isRepeatable(setting)) return defineTexts(placeholder, description, values);
  if (kind === 'duration') return defineDuration(placeholder, description);
  if (kind === 'delay') return defineDelay(description);
  if (kind === 'words' && choices) return someOf(placeholder, description, choices, getSettingFlag(setting));
  return defineValue({ placeholder, description, values }, (given, name): string | number | RateOption => {
    if (kind === 'rate') {
      const limit = parseRateLimit(given);
      if (limit !== undefined) return { text: given, ...limit };
      throw createUsageError(`${name} must be ${RATE_FORM}; got ${given}.`);
    }
    if (kind === 'instant') {
      const instant = parseInstant(given);
      if (instant !== undefined) return instant;
      throw createUsageError(`${name} must be an instant such as 2026-01-31T12:00:00Z; got ${given}.`);
    }
    if (kind === 'count') {
      const [min, max] = setting.range ?? [0, 0];
      const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
      if (value >= min && value <= max) return value;
      throw createUsageError(`${name} must be a number from ${min} to ${max}; got ${given}.`);
    }
    return choices === undefined ? given : parseChoice(`${name} value`, given, choices);
  });
}

function valuesOf({ key, kind, choices }: Setting): ValueSource | undefined {
  if (kind === 'assumptions') {
    return async (_, typed) => ({
      candidates: (await import('../completion/lists.js')).completeAssumption(typed),
    });
  }
  if (kind === 'path') return completeFolders;
  if (key === 'events') return completeList(EVENT_PATTERN_VALUES);
  return choices === undefined ? undefined : completeWords(choices);
}

export const RESTART_OPTIONS = {
  restart: defineText('command', 'a command that restarts your application, for the `restart` fault'),
};

export const FAULT_OPTIONS = {
  faults: defineText('path', 'a fault file, or a directory of `explore` results', completeFiles),
  ...RESTART_OPTIONS,
};

export const SANDBOX_OPTIONS = defineSettings(
  'env',
  'seed',
  'freeze',
  'assume',
  'route',
  'allowLocalEndpoints',
  'autoSettle',
  'kyc',
  'kycAuto',
  'kycDelay',
  'rateLimit',
  'kycRateLimit',
  'origin',
  'strict',
);

export const SCENARIO_OPTIONS = {
  scenario: defineTexts('file', 'run this scenario file or built-in scenario first', completeFiles),
};

export const TUNNEL_OPTIONS = {
  ...defineSettings('tunnelHost', 'tunnelSubdomain'),
  tunnelInCi: defineFlag('with --tunnel: open the tunnel even if CI is set'),
};

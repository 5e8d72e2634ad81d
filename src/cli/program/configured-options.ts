import { isDeepStrictEqual } from 'node:util';
import { type Environment, findProjectFolder } from '../../client/run-file.js';
import {
  type ConfiguredCommand,
  getEnvironmentName,
  getOptionName,
  SETTINGS,
} from '../../config/settings.js';
import { ENVIRONMENT_VARIABLES } from '../../contract/enums.js';
import { type ConfigIssue, loadSettings, type ResolvedSettings } from '../../config/load.js';
import { closestMatches, editDistance } from '../../text/closest.js';
import { KnownSecrets } from '../../text/redaction.js';
import { toOneLine } from '../terminal/text.js';
import { CliError, EXIT_CODES } from './errors.js';
import type { Io } from './io.js';

/** Variables with the settings prefix that configure applications or the control API. */
export const RESERVED_VARIABLES: readonly string[] = [...ENVIRONMENT_VARIABLES, 'SANDBOX_CONTROL_TOKEN'];

export const CREDENTIAL_VARIABLES = RESERVED_VARIABLES.filter((name) => !name.endsWith('_URL'));
export const SECRET_VARIABLES = RESERVED_VARIABLES.filter((name) => /_(?:TOKEN|SECRET)$/.test(name));

/**
 * Collects secrets from the environment and added headers, because an application can echo them to a
 * forwarding command.
 */
export function collectOwnSecrets(env: Environment, headers: Readonly<Record<string, string>>): KnownSecrets {
  const given = SECRET_VARIABLES.flatMap((name) => env[name] ?? []);
  return new KnownSecrets([...given, ...Object.values(headers).flatMap((value) => value.split(' '))]);
}

type RawValues = Readonly<Record<string, unknown>>;

/** A command's options and the sources of configured values. */
export interface ConfiguredOptions {
  readonly options: RawValues;
  /** Setting and source, e.g. `port (SANDBOX_PORT)`. */
  readonly origins: readonly string[];
}

/**
 * Merges command-line options with the environment and the settings files. Throws if a setting is invalid.
 */
export function resolveConfiguredOptions(
  command: ConfiguredCommand,
  given: RawValues,
  io: Io,
): ConfiguredOptions {
  const { values } = resolveSettings(given, io, command);
  const configured = values.filter(({ source }) => source.from !== 'flag' && source.from !== 'default');
  const all: RawValues = { ...given, ...byOption(configured) };
  const found = configured.filter(({ setting: { goesWith } }) => {
    const other = typeof goesWith === 'object' ? goesWith[command] : goesWith;
    return other === undefined || (all[other] !== undefined && all[other] !== false);
  });
  return {
    options: { ...given, ...byOption(found) },
    origins: found.map(({ setting, source }) => `${setting.key} (${toOneLine(source.name, 0)})`),
  };
}

/** Omits options that have the same value in the settings file, from a command to be run in this project. */
export function omitConfigured(command: ConfiguredCommand, options: RawValues, io: Io): RawValues {
  const { options: configured } = resolveConfiguredOptions(command, {}, { ...io, env: {} });
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => !isDeepStrictEqual(value, configured[name])),
  );
}

function byOption(values: ResolvedSettings['values']): RawValues {
  return Object.fromEntries(values.map(({ setting, value }) => [getOptionName(setting), value]));
}

/**
 * Resolves all settings, or only one command's settings. Throws one error with all issues. Warns about
 * misspelled environment variables.
 */
export function resolveSettings(given: RawValues, io: Io, command?: ConfiguredCommand): ResolvedSettings {
  const { env, cwd } = io;
  const settled = loadSettings({ env, cwd, folder: findProjectFolder(cwd), given, command });
  if (settled.issues.length > 0) throw createConfigError(settled.issues);
  for (const [name, meant] of findMisspelledVariables(Object.keys(env))) {
    io.note(`${io.colors.yellow('warning')} ${name} is not a setting. Did you mean ${meant}?`);
  }
  return settled;
}

/** Formats an issue with its position. */
export function formatConfigIssue({ source, place, key, message, isUnknown }: ConfigIssue) {
  const where = place === undefined ? source : `${source}:${place.line}:${place.column}`;
  const close = isUnknown ? closestMatches((key ?? '').replaceAll(/[-_]/g, ''), KEYS) : [];
  const suggestion = close.length === 0 ? '' : ` Did you mean ${close.join(' or ')}?`;
  return {
    field: toOneLine(key === undefined ? where : `${where} ${key}`, 0),
    message: `${toOneLine(message, 0)}.${suggestion}`,
  };
}

const KEYS = SETTINGS.map(({ key }) => key);
const NAMES = SETTINGS.map(getEnvironmentName);

function createConfigError(issues: readonly ConfigIssue[]): CliError {
  const count = issues.length === 1 ? 'an error' : `${issues.length} errors`;
  const known = issues.some(({ isUnknown }) => isUnknown) ? `Settings: ${KEYS.join(', ')}. ` : '';
  return new CliError(EXIT_CODES.usage, 'CONFIG_INVALID', `The configuration contains ${count}.`, {
    details: issues.map(formatConfigIssue),
    hint: `${known}Run \`npx sandbox config --help\` to see valid values.`,
  });
}

const PREFIX = 'SANDBOX_';
/**
 * Minimum name length for tolerating two typos. A shorter name with two typos is probably a different word.
 */
const LONG_NAME = 7;

/**
 * Finds environment variables that are probably misspelled settings. Other variables with the same prefix can
 * belong to other programs.
 */
export function findMisspelledVariables(
  names: readonly string[],
): (readonly [name: string, meant: string])[] {
  return names.flatMap((name) => {
    if (!name.startsWith(PREFIX) || NAMES.includes(name) || RESERVED_VARIABLES.includes(name)) return [];
    const meant = NAMES.find(
      (candidate) => editDistance(name, candidate) <= (candidate.length - PREFIX.length >= LONG_NAME ? 2 : 1),
    );
    return meant === undefined ? [] : [[toOneLine(name, 0), meant] as const];
  });
}

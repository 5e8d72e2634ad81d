import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { JsonText } from '../schema/json-text.js';
import { readJsonText } from '../schema/json-text.js';
import { compareByPosition, formatPath, type TextPosition } from '../schema/schema.js';
import { findForeignOwner } from '../directories.js';
import {
  type ConfiguredCommand,
  getEnvironmentName,
  getSettingFlag,
  getOptionName,
  type Setting,
  SETTINGS,
} from './settings.js';
import type { SettingValue } from './values.js';
import { readJson, readText, InvalidValueError } from './values.js';

export const PROJECT_FILE = 'sandbox.config.json';

type Environment = Readonly<Record<string, string | undefined>>;

/** A value's source. `name` is the flag, the environment variable or the file path. */
interface SettingSource {
  readonly from: 'flag' | 'environment' | 'project' | 'default';
  readonly name: string;
}

export interface ResolvedSetting {
  readonly setting: Setting;
  readonly value: SettingValue | undefined;
  readonly source: SettingSource;
}

export interface ConfigIssue {
  /** Environment variable or file path. */
  readonly source: string;
  readonly place?: TextPosition | undefined;
  /** Key in the file, including nested keys; undefined if the issue concerns the entire file. */
  readonly key?: string;
  readonly message: string;
  /** Set for unknown keys, so that similar keys can be suggested. */
  readonly isUnknown?: true;
}

export interface ConfigFile {
  readonly from: 'project';
  readonly path: string;
  readonly exists: boolean;
}

export interface SettingsInput {
  readonly env: Environment;
  readonly folder: string;
  readonly cwd: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** Loads only this command's settings. By default, all settings are loaded. */
  readonly command?: ConfiguredCommand | undefined;
}

export interface ResolvedSettings {
  readonly values: readonly ResolvedSetting[];
  readonly issues: readonly ConfigIssue[];
  readonly files: readonly ConfigFile[];
}

/**
 * Resolves every setting and its source: flags override the environment, which overrides the project file.
 * Replaces lower-precedence values completely instead of merging them. Never throws; returns all issues
 * together.
 */
export function loadSettings({ env, folder, cwd, given, command }: SettingsInput): ResolvedSettings {
  const settings = SETTINGS.filter(
    ({ commands }) => command === undefined || commands.some((name) => name === command),
  );
  const project = readConfigFile(join(folder, PROJECT_FILE), folder === cwd);
  const environment = readEnvironment(settings, env, cwd);
  const values = settings.map((setting): ResolvedSetting => {
    const { key } = setting;
    const flag = given[command === undefined ? key : getOptionName(setting)];
    if (isValue(flag))
      return { setting, value: flag, source: { from: 'flag', name: getSettingFlag(setting) } };
    const layer = [environment, project].find((layer) => layer.values.has(key));
    if (layer === undefined) return { setting, value: undefined, source: { from: 'default', name: '' } };
    const name = layer.from === 'environment' ? getEnvironmentName(setting) : layer.path;
    return { setting, value: layer.values.get(key), source: { from: layer.from, name } };
  });
  return {
    values,
    issues: [...environment.issues, ...project.issues],
    files: [{ from: project.from, path: project.path, exists: project.exists }],
  };
}

function isValue(value: unknown): value is SettingValue {
  return typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value);
}

interface Layer {
  readonly values: ReadonlyMap<string, SettingValue>;
  readonly issues: readonly ConfigIssue[];
}

function readEnvironment(settings: readonly Setting[], env: Environment, cwd: string) {
  const values = new Map<string, SettingValue>();
  const issues: ConfigIssue[] = [];
  for (const setting of settings) {
    const source = getEnvironmentName(setting);
    const text = env[source];
    // Treat empty strings as unset, because Docker Compose and shells pass unset variables as empty strings.
    if (text === undefined || text === '') continue;
    const mistake = storeValue(setting, values, cwd, () => readText(setting, text));
    if (mistake !== undefined) issues.push({ source, message: mistake.message });
  }
  return { from: 'environment' as const, values, issues };
}

/** Stores a value, or returns the error. Paths are relative to `folder`. */
function storeValue(
  setting: Setting,
  values: Map<string, SettingValue>,
  folder: string,
  reading: () => SettingValue,
): InvalidValueError | undefined {
  try {
    const value = reading();
    const isPath = setting.kind === 'path' && typeof value === 'string';
    values.set(setting.key, isPath ? resolve(folder, value) : value);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidValueError) return error;
    throw error;
  }
}

const ROOT = 0;

/**
 * Reads a config file. Does not check the owner of a file in the current directory, because the user chose
 * that directory.
 */
function readConfigFile(path: string, isInCurrentFolder: boolean): ConfigFile & Layer {
  const from = 'project' as const;
  const none = new Map<string, SettingValue>();
  const broken = (message: string, place?: TextPosition) => {
    return { from, path, exists: true, values: none, issues: [{ source: path, message, place }] };
  };
  let text: string;
  try {
    // Reading a pipe or another special file could block.
    if (!statSync(path).isFile()) return broken('is not a file');
    const owner = isInCurrentFolder ? undefined : findForeignOwner(path);
    // Reject files owned by other users (except root), because settings control, for example, where data is
    // written.
    if (owner !== undefined && owner !== ROOT) {
      return broken(
        `belongs to another user (uid ${owner}): run the command in the file's directory, or change the owner`,
      );
    }
    text = readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return { from, path, exists: false, values: none, issues: [] };
    }
    return broken(`cannot be read (${code})`);
  }
  const json = readJsonText(text);
  if (!json.isJson) return broken(json.problem, json.place);
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value)) {
    return broken('must contain an object, such as {"port": 7490}', { line: 1, column: 1 });
  }
  return { from, path, exists: true, ...readObject(json.value, json, path) };
}

type Json = Extract<JsonText, { readonly isJson: true }>;

function readObject(object: object, { repeated, placeOf }: Json, source: string): Layer {
  const values = new Map<string, SettingValue>();
  const placed = repeated.map((path) => {
    return { source, place: placeOf(path), key: formatPath(path), message: 'appears twice' };
  });
  const issues: (ConfigIssue & { readonly place: TextPosition })[] = placed;
  for (const [key, value] of Object.entries(object)) {
    const place = placeOf([key]);
    const setting = SETTINGS.find((setting) => setting.key === key);
    if (setting !== undefined) {
      const mistake = storeValue(setting, values, dirname(source), () => readJson(setting, value));
      if (mistake === undefined) continue;
      const path = [key, ...mistake.path];
      issues.push({ source, place: placeOf(path), key: formatPath(path), message: mistake.message });
    } else if (key !== '$schema') {
      issues.push({ source, place, key, message: 'is not a setting', isUnknown: true });
    }
  }
  return { values, issues: issues.sort((a, b) => compareByPosition(a.place, b.place)) };
}

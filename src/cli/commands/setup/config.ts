import { createConfigSchema, type SettingValue } from '../../../config/values.js';
import type { ConfigFile, ResolvedSetting } from '../../../config/load.js';
import { getEnvironmentName, getSettingFlag, type Setting } from '../../../config/settings.js';
import { redactUrl } from '../../../text/redaction.js';
import { resolveSettings } from '../../program/configured-options.js';
import type { BodyOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { formatFacts, toOneLine, shortenHeader, formatTable } from '../../terminal/text.js';
import type { config } from '../../declarations/setup.js';

/** Formats a setting for `--json`. `value` is the effective value, or null if unset. */
function settingView({ setting, value, source }: ResolvedSetting) {
  return {
    key: setting.key,
    value: value === undefined ? null : shownValue(setting, value),
    default: setting.fallback ?? null,
    source: { from: source.from, name: source.name === '' ? null : source.name },
    flag: getSettingFlag(setting),
    environment: getEnvironmentName(setting),
    commands: setting.commands,
  };
}

function settingsText(io: Io, values: readonly ResolvedSetting[], files: readonly ConfigFile[]): string {
  const rows = formatTable(io, values, [
    { title: 'SETTING', value: ({ setting }) => setting.key },
    {
      title: 'VALUE',
      value: valueText,
      wraps: true,
      paint: (text, { value }) => (value === undefined ? io.colors.dim(text) : text),
    },
    { title: 'FROM', value: ({ source }) => source.name || source.from },
    { title: 'COMMANDS', value: ({ setting }) => setting.commands.join(' '), wraps: true, optional: true },
  ]);
  const looked = files.map(({ from, path, exists }) => {
    return [`${from} file`, exists ? path : `${path} (not found)`] as const;
  });
  return `${rows}\n\n${formatFacts(io, looked)}`;
}

function valueText({ setting, value }: ResolvedSetting): string {
  if (value === undefined) return setting.fallback ?? '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return [shownValue(setting, value)].flat().join(', ');
}

/** Returns the value for display, with secrets shortened and URLs redacted. */
function shownValue({ kind, secret }: Setting, value: SettingValue): SettingValue {
  if (typeof value === 'boolean') return value;
  const show = (text: string) => {
    if (secret) return shortenHeader(text);
    return ['list', 'text', 'routes', 'variables'].includes(kind) ? redactUrl(text) : text;
  };
  return typeof value === 'string'
    ? toOneLine(show(value), 0)
    : value.map((item) => toOneLine(show(item), 0));
}

/** Runs `sandbox config`: prints all settings and their sources, or with `--schema` the JSON Schema. */
export const showConfig: BodyOf<typeof config> = async ({ io, options }) => {
  if (options.schema) {
    const schema = createConfigSchema();
    io.emit(schema);
    io.say(JSON.stringify(schema, null, 2));
    return;
  }
  const { values, files } = resolveSettings(options, io);
  io.emit({
    files: files.map(({ from, path, exists }) => ({ from, path, exists: exists })),
    settings: values.map(settingView),
  });
  io.say(settingsText(io, values, files));
};

import type { ConfigFile, SettledValue } from '../../../config/load.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import type { SettingValue } from '../../../config/values.js';
import type { Setting } from '../../../config/settings.js';
import { environmentNameOf, flagOf } from '../../../config/settings.js';
import type { Io } from '../../program/io.js';
import { oneLine, shortenedHeader, table } from '../../terminal/text.js';
import { facts } from '../../terminal/facts.js';

/** A setting under `--json`: `value` is the effective value, null when unset; secrets are shortened. */
export function settingView({ setting, value, source }: SettledValue) {
  return {
    key: setting.key,
    value: value === undefined ? null : shownValue(setting, value),
    default: setting.fallback ?? null,
    source: { from: source.from, name: source.name === '' ? null : source.name },
    flag: flagOf(setting),
    environment: environmentNameOf(setting),
    commands: setting.commands,
  };
}

export function settingsText(io: Io, values: readonly SettledValue[], files: readonly ConfigFile[]): string {
  const rows = table(io, values, [
    { title: 'SETTING', value: ({ setting }) => setting.key },
    {
      title: 'VALUE',
      value: valueText,
      leastWidth: 12,
      paint: (text, { value }) => (value === undefined ? io.colour.dim(text) : text),
    },
    { title: 'FROM', value: ({ source }) => source.name || source.from, leastWidth: 12 },
    { title: 'COMMANDS', value: ({ setting }) => setting.commands.join(' '), optional: true },
  ]);
  const looked = files.map(({ from, path, isThere }) => {
    return [`${from} file`, isThere ? path : `${path} (not there)`] as const;
  });
  return `${rows}\n\n${facts(io, looked)}`;
}

function valueText({ setting, value }: SettledValue): string {
  if (value === undefined) return setting.fallback ?? '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return [shownValue(setting, value)].flat().join(', ');
}

/** The value without details that only its command uses. */
function shownValue({ kind, secret }: Setting, value: SettingValue): SettingValue {
  if (typeof value === 'boolean') return value;
  const show = (text: string) => {
    if (secret) return shortenedHeader(text);
    return kind === 'list' || kind === 'text' || kind === 'routes' ? withoutUrlSecrets(text) : text;
  };
  return typeof value === 'string' ? oneLine(show(value), 0) : value.map((item) => oneLine(show(item), 0));
}

import { assume } from '../core/assumptions.js';
import { Refusal } from '../core/refusal.js';
import { parseDuration } from '../core/time.js';
import { parseInstant } from '../http/instant.js';
import type { Setting, SettingKind } from './settings.js';
import { isRepeatable } from './settings.js';

/** A value as commander hands it over: a text, several, or a switch. */
export type SettingValue = string | readonly string[] | boolean;

/** What came where a setting expected something else; the message goes on after the setting's name. */
export class WrongValue extends Error {}

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

/**
 * The value that a text of the environment stands for. Items are separated by line breaks, or by commas where no item can hold
 * one. Throws WrongValue.
 */
export function readText(setting: Setting, text: string): SettingValue {
  if (setting.kind === 'switch') {
    const value = SWITCHES.get(text.toLowerCase());
    if (value === undefined) throw wrong('true or false', text);
    return value;
  }
  if (!isRepeatable(setting)) return checked(setting, text);
  const separator = setting.itemsHoldCommas || text.includes('\n') ? '\n' : ',';
  const items = text.split(separator).map((item) => item.trim());
  return checkedItems(
    setting,
    items.filter((item) => item !== ''),
  );
}

/** The value that a value of a JSON file stands for. Throws WrongValue. */
export function readJson(setting: Setting, json: unknown): SettingValue {
  const { kind } = setting;
  if (kind === 'switch') {
    if (typeof json !== 'boolean') throw wrong('true or false', json);
    return json;
  }
  if (isRepeatable(setting)) return checkedItems(setting, itemsOf(setting, json));
  if (kind === 'count') {
    if (!Number.isInteger(json)) throw wrong(rangeText(setting), json);
    return checked(setting, String(json));
  }
  if (kind === 'textOrNumber' && typeof json === 'number') return String(json);
  if (kind === 'words' && Array.isArray(json)) {
    const words: unknown[] = json;
    return checked(setting, words.map((word) => wordOrWrong(word)).join(','));
  }
  return checked(setting, textOrWrong(json, EXPECTED_TEXT[kind] ?? 'a text'));
}

const EXPECTED_TEXT: Readonly<Partial<Record<SettingKind, string>>> = {
  textOrNumber: 'a text or a number',
  words: 'a text or an array of texts',
};

function textOrWrong(json: unknown, expected: string): string {
  if (typeof json !== 'string') throw wrong(expected, json);
  return json;
}

function wordOrWrong(json: unknown): string {
  const word = textOrWrong(json, 'an array of texts');
  if (word.trim() === '') throw wrong('items with something in them', json);
  return word;
}

function itemsOf({ kind }: Setting, json: unknown): string[] {
  const isPairs = kind !== 'list';
  const expected = `a text, an array of texts${isPairs ? ', or an object of texts' : ''}`;
  if (Array.isArray(json)) return json.map((item) => textOrWrong(item, expected));
  if (isPairs && typeof json === 'object' && json !== null) {
    return Object.entries(json).map(([key, value]) => `${key}=${textOrWrong(value, expected)}`);
  }
  return [textOrWrong(json, expected)];
}

function checkedItems({ kind }: Setting, items: readonly string[]): readonly string[] {
  for (const item of items) {
    if (item.trim() === '') throw wrong('items with something in them', item);
    if (kind !== 'list' && item.indexOf('=') < 1) {
      throw wrong(kind === 'routes' ? 'from=to' : 'id=value', item);
    }
    if (kind === 'assumptions') checkAssumption(item);
  }
  return items;
}

function checkAssumption(item: string): void {
  const split = item.indexOf('=');
  try {
    assume({ [item.slice(0, split)]: item.slice(split + 1) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new WrongValue(`cannot be so: ${error.message.replace(/\.$/, '')}`, { cause: error });
  }
}

/** The text, where it is one that the setting can hold. What only its command can judge is left to the command. */
function checked(setting: Setting, text: string): string {
  const { kind, choices = [], range: [least, most] = [0, 0] } = setting;
  if (text.trim() === '') throw wrong('something', text);
  if (kind === 'choice' && !choices.includes(text)) throw wrong(choices.join(', '), text);
  if (kind === 'duration' && parseDuration(text) === undefined) {
    throw wrong('a duration such as 90s, 5m, 2h or 1d12h', text);
  }
  if (kind === 'instant' && parseInstant(text) === undefined) {
    throw wrong('an instant such as 2026-01-31T12:00:00Z', text);
  }
  if (kind === 'count' && !(/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most)) {
    throw wrong(rangeText(setting), text);
  }
  return text;
}

function rangeText({ range: [least, most] = [0, 0] }: Setting): string {
  return `a whole number from ${least} to ${most}`;
}

function wrong(expected: string, came: unknown): WrongValue {
  return new WrongValue(`must be ${expected}; got ${shown(came)}`);
}

/** Enough to recognise a value by, and too little for a secret that stands in a wrong place. */
const SHOWN = 24;

function shown(came: unknown): string {
  const text = JSON.stringify(came);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

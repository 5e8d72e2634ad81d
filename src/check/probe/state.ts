import { isObject } from '../../schema/object.js';
import type { Subject } from '../check.js';

/** The value at each place of a probe's output, without codes, ids and times. */
export type State = ReadonlyMap<string, string>;

/** A place at which two states differ; null where a state has no such place. */
export interface Difference {
  readonly place: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Real time around now in which a number is taken for a time. */
const NEAR_MS = 2 * 86_400_000;
const ISO_TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/g;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const HEX = /(?<!\w)(?:[a-z]{2,8}_)?[\da-f]{16,64}(?!\w)/gi;
const NUMBER = /(?<!\w)\d{10}(?:\d{3})?(?:\.\d{1,9})?(?!\w)/g;
/** Random ids in other alphabets: a ULID or KSUID, and a nanoid of 21 characters with a digit. */
const RANDOM_ID = /(?<![\w-])(?:[0-7][\dA-HJKMNP-TV-Z]{25}|(?=[A-Za-z_-]{0,20}\d)[\w-]{21})(?![\w-])/g;
const MONTH =
  '(?:jan|feb|fev|mar|apr|abr|may|mai|jun|jul|aug|ago|sep|set|oct|out|nov|dec|dez)[a-zç]{0,6}\\.?';
const WEEKDAY =
  '(?:(?:mon|tue|wed|thu|fri|sat|sun|seg|ter|qua|qui|sex|sab|sáb|dom)[a-zç]{0,6}(?:-feira)?[.,]? )?';
const DATE = [
  '\\d{4}[-/]\\d{1,2}[-/]\\d{1,2}',
  '\\d{1,2}[-/.]\\d{1,2}[-/.](?:\\d{4}|\\d{2})',
  `${WEEKDAY}\\d{1,2}[ -](?:de )?${MONTH}(?:[ -](?:de )?\\d{4})?`,
  `${WEEKDAY}${MONTH} \\d{1,2}(?:, \\d{4}| \\d{4})?`,
].join('|');
const CLOCK_TIME =
  '\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?: ?[ap]\\.?m\\.?)?(?: ?(?:Z|UTC|GMT|BRT|[+-]\\d\\d:?\\d\\d)){0,2}';
/** Dates and times as programs print them for people, in English and Portuguese, with the year after the time in C's format. */
const LOCAL_TIME_PATTERN = `(?<!\\w)(?:(?:${DATE})(?:(?:,? (?:at |às )?|T)${CLOCK_TIME})?(?: \\d{4}(?!\\w))?|${CLOCK_TIME})(?!\\w)`;
export const LOCAL_TIME = new RegExp(LOCAL_TIME_PATTERN, 'gi');
const UNIT =
  '(?:ms|milliseconds?|s|secs?|seconds?|segundos?|m|mins?|minutes?|minutos?|h|hours?|horas?|days?|dias?)';
/** Ages such as `3 s ago`, `a few seconds ago`, `just now`, `há 3 segundos` and `há instantes`. */
const AGE_PATTERN = `(?<!\\w)(?:(?:\\d{1,9}(?:[.,]\\d{1,9})?|an?|a few|less than a|about an?) ?${UNIT} (?:ago|atrás)|(?:just|right) now|há (?:instantes|(?:\\d{1,9}(?:[.,]\\d{1,9})?|um|uma|poucos|cerca de uma?) ?${UNIT}))(?!\\w)`;
export const AGE = new RegExp(AGE_PATTERN, 'gi');

/**
 * Reads a probe's output: JSON by its paths, anything else word by word. JSON with an object or list in its field `state` is compared by that only.
 * The code and id of the order are replaced by their names, as are times, ages and random ids.
 */
export function stateOf(printed: string, subject: Subject, nowMs: number): State {
  const state = new Map<string, string>();
  const neutral = (text: string) => withoutIdentity(text, subject, nowMs);
  const json = jsonIn(printed);
  if (json === undefined) addText(state, neutral(printed));
  else addJson(state, '', stateField(json), neutral);
  return state;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The field `state` where it holds an object or list; a text would be a field like others, such as a status. */
function stateField(value: unknown): unknown {
  const state = isObject(value) ? value['state'] : undefined;
  return typeof state === 'object' && state !== null ? { state } : value;
}

function withoutIdentity(text: string, { code, id }: Subject, nowMs: number): string {
  return text
    .replaceAll(id, '{id}')
    .replaceAll(code, '{code}')
    .replaceAll(ISO_TIME, '{time}')
    .replaceAll(UUID, '{uuid}')
    .replaceAll(HEX, '{hex}')
    .replaceAll(RANDOM_ID, '{random}')
    .replaceAll(AGE, '{age}')
    .replaceAll(LOCAL_TIME, '{time}')
    .replaceAll(NUMBER, (number) => (isNear(Number(number), nowMs) ? '{time}' : number));
}

function isNear(number: number, nowMs: number): boolean {
  return [number, number * 1000].some((ms) => Math.abs(ms - nowMs) < NEAR_MS);
}

type Neutralize = (text: string) => string;

function addJson(state: Map<string, string>, place: string, value: unknown, neutral: Neutralize): void {
  if (Array.isArray(value)) {
    state.set(`${place}.length`, String(value.length));
    for (const [index, item] of value.entries()) addJson(state, `${place}[${index}]`, item, neutral);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      addJson(state, place === '' ? neutral(key) : `${place}.${neutral(key)}`, item, neutral);
    if (Object.keys(value).length === 0) state.set(place, '{}');
  } else {
    state.set(place, neutral(JSON.stringify(value)));
  }
}

function addText(state: Map<string, string>, text: string): void {
  for (const [line, words] of text.trim().split(/\r?\n/).entries()) {
    for (const [index, word] of words.split(/[\s|;=]+|,(?!\d)/).entries())
      state.set(`line ${line + 1}, word ${index + 1}`, word);
  }
}

/** Whether a place is one of these, or within one of them. */
export function isWithin(place: string, places: ReadonlySet<string>): boolean {
  if (places.has(place)) return true;
  return [...places].some((one) => place.startsWith(`${one}.`) || place.startsWith(`${one}[`));
}

/** The differences between two states, without the ignored places and what is within them. */
export function differencesOf(
  from: State,
  to: State,
  ignored: ReadonlySet<string> = new Set(),
): Difference[] {
  const places = new Set([...from.keys(), ...to.keys()]);
  return Array.from(places, (place) => ({
    place,
    from: from.get(place) ?? null,
    to: to.get(place) ?? null,
  })).filter((one) => one.from !== one.to && !isWithin(one.place, ignored));
}

/** Differences as text, such as `credits 1 -> 2`; at most three of them. */
export function differencesText(differences: readonly Difference[]): string {
  const shown = differences
    .slice(0, 3)
    .map(
      ({ place, from, to }) =>
        `${place === '' ? 'the output' : place} ${from ?? '(none)'} -> ${to ?? '(none)'}`,
    );
  const more = differences.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** A state as text, such as `status "pending", credits 0`; at most six places of it. */
export function stateText(state: State): string {
  const shown = [...state].slice(0, 6).map(([place, value]) => `${place} ${value}`.trim());
  const more = state.size - shown.length;
  return shown.length === 0 ? 'nothing' : shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

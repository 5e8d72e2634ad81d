import { isObject } from '../../schema/object.js';
import type { Subject } from '../check.js';

/** What a probe printed: the value at each place, without what is different for every order. */
export type State = ReadonlyMap<string, string>;

/** A place at which two states differ; null where there is nothing. */
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

/**
 * Reads what a probe printed: JSON by its paths, anything else word by word. The code and id of the order, and what looks like a
 * time or a random id, are replaced by names of what they are.
 */
export function stateOf(printed: string, subject: Subject, nowMs: number): State {
  const text = withoutIdentity(printed, subject, nowMs);
  const state = new Map<string, string>();
  try {
    addJson(state, '', JSON.parse(text));
  } catch {
    state.clear();
    addText(state, text);
  }
  return state;
}

function withoutIdentity(printed: string, { code, id }: Subject, nowMs: number): string {
  return printed
    .replaceAll(id, '{id}')
    .replaceAll(code, '{code}')
    .replaceAll(ISO_TIME, '{time}')
    .replaceAll(UUID, '{uuid}')
    .replaceAll(HEX, '{hex}')
    .replaceAll(NUMBER, (number) => (isNear(Number(number), nowMs) ? '0' : number));
}

function isNear(number: number, nowMs: number): boolean {
  return [number, number * 1000].some((ms) => Math.abs(ms - nowMs) < NEAR_MS);
}

function addJson(state: Map<string, string>, place: string, value: unknown): void {
  if (Array.isArray(value)) {
    state.set(`${place}.length`, String(value.length));
    for (const [index, item] of value.entries()) addJson(state, `${place}[${index}]`, item);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      addJson(state, place === '' ? key : `${place}.${key}`, item);
    if (Object.keys(value).length === 0) state.set(place, '{}');
  } else {
    state.set(place, JSON.stringify(value));
  }
}

function addText(state: Map<string, string>, text: string): void {
  for (const [line, words] of text.trim().split(/\r?\n/).entries()) {
    for (const [index, word] of words.split(/[\s|,;=]+/).entries())
      state.set(`line ${line + 1}, word ${index + 1}`, word);
  }
}

/** What differs between two states, without the masked places. */
export function differencesOf(from: State, to: State, masked: ReadonlySet<string> = new Set()): Difference[] {
  const places = new Set([...from.keys(), ...to.keys()]);
  return Array.from(places, (place) => ({
    place,
    from: from.get(place) ?? null,
    to: to.get(place) ?? null,
  })).filter((one) => one.from !== one.to && !masked.has(one.place));
}

/** The differences in words, such as `credits 1 -> 2`; at most three of them. */
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

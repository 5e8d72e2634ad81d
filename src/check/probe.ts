import { performance } from 'node:perf_hooks';
import { sleep } from '../delivery/abort.js';
import { isObject } from '../schema/object.js';
import type { Probe, CheckedPayment } from './check.js';
import { parseJson } from '../text/json.js';

/** A probe's output: values by path, with codes, ids and times replaced by placeholders. */
export type ProbeState = ReadonlyMap<string, string>;

/** A path with different values in two states. `from` or `to` is null if that state lacks the path. */
export interface ProbeDifference {
  readonly place: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Numbers within this many milliseconds of now are treated as times. */
const NEAR_MS = 2 * 86_400_000;
const ISO_TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?/g;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const HEX = /(?<!\w|\d\.)(?:[a-z]{2,8}_)?[\da-f]{16,64}(?!\w)/gi;
const NUMBER = /(?<!\w)\d{10}(?:\d{3})?(?:\.\d{1,9})?(?!\w)/g;
/** Matches random ids: ULIDs, and 21-character nanoids that contain a digit. */
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
/** Matches human-readable dates and times in English and Portuguese. */
const LOCAL_TIME_PATTERN =
  `(?<!\\w)(?:(?:${DATE})(?:(?:,? (?:at |às )?|T)${CLOCK_TIME})?(?: ` +
  `\\d{4}(?!\\w))?|${CLOCK_TIME})(?!\\w)`;
export const LOCAL_TIME_REGEX = new RegExp(LOCAL_TIME_PATTERN, 'gi');
const UNIT =
  '(?:ms|milliseconds?|s|secs?|seconds?|segundos?|m|mins?|minutes?|minutos?|h|hours?|horas?|days?|dias?)';
/**
 * Matches relative times such as `3 s ago`, `a few seconds ago`, `just now`, `há 3 segundos` and `há
 * instantes`.
 */
const AGE_PATTERN =
  `(?<!\\w)(?:(?:\\d{1,9}(?:[.,]\\d{1,9})?|an?|a few|less than a|about an?) ?${UNIT} ` +
  '(?:ago|atrás)|(?:just|right) now|há ' +
  `(?:instantes|(?:\\d{1,9}(?:[.,]\\d{1,9})?|um|uma|poucos|cerca de uma?) ?${UNIT}))(?!\\w)`;
export const AGE_REGEX = new RegExp(AGE_PATTERN, 'gi');

/**
 * Parses probe output: JSON by path, other text word by word. If the JSON has an object or array in `state`,
 * ignores all other fields. Replaces the order's code and id, times, ages and random ids with placeholders.
 */
export function parseProbeState(printed: string, subject: CheckedPayment, nowMs: number): ProbeState {
  const state = new Map<string, string>();
  const neutral = (text: string) => withoutIdentity(text, subject, nowMs);
  const json = parseJson(printed);
  if (json === undefined) {
    addText(state, neutral(printed));
    return state;
  }
  // A string in `state` is an ordinary field, such as a status.
  const field = isObject(json) ? json['state'] : undefined;
  addJson(state, '', typeof field === 'object' && field !== null ? { state: field } : json, neutral);
  return state;
}

function withoutIdentity(text: string, { code, id }: CheckedPayment, nowMs: number): string {
  const isNear = (ms: number) => Math.abs(ms - nowMs) < NEAR_MS;
  return text
    .replaceAll(id, '{id}')
    .replaceAll(code, '{code}')
    .replaceAll(ISO_TIME, '{time}')
    .replaceAll(UUID, '{uuid}')
    .replaceAll(HEX, '{hex}')
    .replaceAll(RANDOM_ID, '{random}')
    .replaceAll(AGE_REGEX, '{age}')
    .replaceAll(LOCAL_TIME_REGEX, '{time}')
    .replaceAll(NUMBER, (number) =>
      isNear(Number(number)) || isNear(Number(number) * 1000) ? '{time}' : number,
    );
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

export function isWithin(place: string, places: ReadonlySet<string>): boolean {
  if (places.has(place)) return true;
  return [...places].some((one) => place.startsWith(`${one}.`) || place.startsWith(`${one}[`));
}

/** Returns the differences between two states, except at and below ignored paths. */
export function diffStates(
  from: ProbeState,
  to: ProbeState,
  ignored: ReadonlySet<string> = new Set(),
): ProbeDifference[] {
  const at = (state: ProbeState, place: string) => state.get(place) ?? null;
  return Array.from(new Set([...from.keys(), ...to.keys()]))
    .map((place) => ({ place, from: at(from, place), to: at(to, place) }))
    .filter((one) => one.from !== one.to && !isWithin(one.place, ignored));
}

function shownOf(texts: readonly string[], max: number): string {
  const more = texts.length - max;
  return texts.slice(0, max).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Formats up to three differences, e.g. `credits 1 -> 2`. */
export function formatDifferences(differences: readonly ProbeDifference[]): string {
  const texts = differences.map(
    ({ place, from, to }) => `${place || 'the output'} ${from ?? '(none)'} -> ${to ?? '(none)'}`,
  );
  return shownOf(texts, 3);
}

/** Formats up to three differences from an expected state, e.g. `credits 2 instead of 1`. */
export function formatDeviations(differences: readonly ProbeDifference[]): string {
  const texts = differences.map(
    ({ place, from, to }) => `${place || 'the output'} ${to ?? '(none)'} instead of ${from ?? '(none)'}`,
  );
  return shownOf(texts, 3);
}

/** Formats up to six values of a state, e.g. `status "pending", credits 0`. */
export function formatState(state: ProbeState): string {
  const texts = Array.from(state, ([place, value]) => `${place} ${value}`.trim());
  return texts.length === 0 ? 'nothing' : shownOf(texts, 6);
}

/** Minimum and maximum wait for an expected state, in milliseconds. */
const LEAST_PATIENCE_MS = 2_000;
const MOST_PATIENCE_MS = 30_000;
const GAP_MS = 40;
const LEAST_READS = 10;
/** Minimum wait for late effects after a response, in milliseconds. */
const LEAST_QUIET_MS = 60;
/** Wait for late effects, as a multiple of the learned delay. */
const DELAY_FACTOR = 2;

const CODE = /check-[\da-f]{6}-\d{4}/g;
const LINE = /^line (\d+)/;

export class ProbeError extends Error {}

export class StateObserver {
  /** Ignored paths. Nested paths are ignored, too. */
  readonly ignored: Set<string>;
  /** First line number excluded from comparisons. */
  #ignoredFromLine = Infinity;
  readonly #probe: Probe;
  readonly #signal: AbortSignal;
  /** Delay in milliseconds between a response and the event's effect, learned from the first payment. */
  #delayMs = 0;

  constructor(probe: Probe, signal: AbortSignal, ignored: readonly string[] = []) {
    this.#probe = probe;
    this.#signal = signal;
    this.ignored = new Set(ignored);
  }

  get timeoutMs(): number {
    return Math.min(Math.max(LEAST_PATIENCE_MS, DELAY_FACTOR * this.#delayMs), MOST_PATIENCE_MS);
  }

  /** Records an effect's delay. Later waits take at least twice as long. */
  recordDelay(ms: number): void {
    this.#delayMs = Math.max(this.#delayMs, ms);
  }

  /** Ignores the paths of these differences, and later additions to growing lists and texts. */
  ignore(differences: readonly ProbeDifference[]): void {
    for (const { place, from } of differences) {
      const line = LINE.exec(place)?.[1];
      if (line !== undefined && from === null)
        this.#ignoredFromLine = Math.min(this.#ignoredFromLine, Number(line));
      if (!isWithin(place, this.ignored)) this.ignored.add(place.replace(/\.length$/, ''));
    }
  }

  async read(subject: CheckedPayment): Promise<ProbeState> {
    const printed = await this.#probe(subject, this.#signal);
    const other = printed.match(CODE)?.find((code) => code !== subject.code);
    if (other !== undefined)
      throw new ProbeError(
        `The probe for ${subject.code} also prints ${other}. Make the probe print only the requested order.`,
      );
    return parseProbeState(printed, subject, Date.now());
  }

  /** Waits for late effects of the last request, then reads the state. */
  async settled(subject: CheckedPayment): Promise<ProbeState> {
    await sleep(Math.max(LEAST_QUIET_MS, DELAY_FACTOR * this.#delayMs), this.#signal);
    return this.stable(subject);
  }

  /** Waits for a change, then reads the state once it is stable. */
  async changed(before: ProbeState, subject: CheckedPayment): Promise<ProbeState> {
    await this.readUntil(subject, (one) => this.differences(before, one).length > 0);
    return this.settled(subject);
  }

  /** Polls until the differences disappear for good, or until the timeout. Returns the remaining ones. */
  async awaitNone(
    subject: CheckedPayment,
    differencesIn: (state: ProbeState) => readonly ProbeDifference[],
    timeoutMs = this.timeoutMs,
  ): Promise<readonly ProbeDifference[]> {
    const isReached = (one: ProbeState) => differencesIn(one).length === 0;
    const reached = await this.readUntil(subject, isReached, timeoutMs);
    return differencesIn(isReached(reached) ? await this.settled(subject) : reached);
  }

  differences(from: ProbeState, to: ProbeState): ProbeDifference[] {
    return diffStates(from, to, this.ignored).filter(
      ({ place }) => Number(LINE.exec(place)?.[1] ?? 0) < this.#ignoredFromLine,
    );
  }

  /** Polls until `isWanted` returns true, or until the timeout has passed and ten reads have been made. */
  async readUntil(
    subject: CheckedPayment,
    isWanted: (state: ProbeState) => boolean | Promise<boolean>,
    timeoutMs = this.timeoutMs,
  ): Promise<ProbeState> {
    const startedMs = performance.now();
    let state = await this.read(subject);
    for (let reads = 0; !(await isWanted(state)); reads += 1) {
      if (reads >= LEAST_READS && performance.now() - startedMs > timeoutMs) break;
      await sleep(GAP_MS, this.#signal);
      state = await this.read(subject);
    }
    return state;
  }

  async stable(subject: CheckedPayment): Promise<ProbeState> {
    let last = await this.read(subject);
    return this.readUntil(subject, (state) => {
      const isStable = this.differences(last, state).length === 0;
      last = state;
      return isStable;
    });
  }
}

/** Reference states of correctly processed orders. */
export interface TwinStates {
  readonly observer: StateObserver;
  /** States of an order before any event and after a single `pix.settled`. */
  readonly unpaid: ProbeState;
  readonly paid: ProbeState;
  /** Paths set to the same value by every payment. */
  readonly decisive: ReadonlySet<string>;
  /** Paths set to a different value by each payment, e.g. a receipt number. */
  readonly varying: ReadonlySet<string>;
  /** Paths changed by every event, even one without an effect, e.g. a counter or the last event type. */
  readonly recorded: ReadonlySet<string>;
}

/** Returns the differences from a paid order. Varying paths only need to differ from an unpaid order. */
export function diffFromPaidState(
  { observer, unpaid, paid, varying }: TwinStates,
  state: ProbeState,
): ProbeDifference[] {
  return observer
    .differences(paid, state)
    .filter(({ place, to }) => !varying.has(place) || to === (unpaid.get(place) ?? null));
}

export function isPaidState({ paid, decisive }: TwinStates, state: ProbeState): boolean {
  return [...decisive].every((place) => state.get(place) === paid.get(place));
}

/** Separates paths equal in a second paid order from varying ones. Returns null if that order is unpaid. */
export function compareWithSecondOrder(
  changed: readonly ProbeDifference[],
  { before, after }: { readonly before: ProbeState; readonly after: ProbeState },
): Pick<TwinStates, 'decisive' | 'varying'> | null {
  const isSame = ({ place, to }: ProbeDifference) => (after.get(place) ?? null) === to;
  const [same, other] = [changed.filter(isSame), changed.filter((one) => !isSame(one))];
  const isUnpaid = same.length === 0 || other.some(({ place }) => after.get(place) === before.get(place));
  const places = (differences: readonly ProbeDifference[]) => new Set(differences.map(({ place }) => place));
  return isUnpaid ? null : { decisive: places(same), varying: places(other) };
}

/** Finds paths that record events without an effect, e.g. counters, lists, logs or the last event type. */
export function findRecordingPlaces(
  observer: StateObserver,
  type: string,
  [before, once, twice]: readonly [before: ProbeState, once: ProbeState, twice: ProbeState],
): { readonly ofEvents: ProbeDifference[]; readonly ofRepeats: ProbeDifference[] } {
  const changed = observer.differences(before, once);
  const recorded = changed.filter((one) => isGrowth(one) || one.to?.includes(type) === true);
  // Empty values that were replaced by objects.
  const replaced = changed.filter(({ place }) => recorded.some((one) => one.place.startsWith(`${place}.`)));
  return {
    ofEvents: [...recorded, ...replaced],
    ofRepeats: observer.differences(once, twice).filter(isGrowth),
  };
}

function isGrowth({ from, to }: ProbeDifference): boolean {
  return to !== null && (from === null || (isNumber(from) && isNumber(to) && Number(to) > Number(from)));
}

function isNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text);
}

const NO_VALUE = new Set([null, 'null', 'false', '""', '{}', '']);

/** Returns true if a number moved further away from `back`. */
function isFurther(before: string, after: string | null, back: string): boolean {
  if (after === null || ![before, after, back].every(isNumber)) return false;
  const [from, to] = [Number(before) - Number(back), Number(after) - Number(back)];
  return Math.sign(from) === Math.sign(to) && Math.abs(to) > Math.abs(from);
}

type Comparing = Pick<TwinStates, 'observer' | 'recorded'>;

/**
 * Returns true if a state reverted from `before` toward `back`. Compares only paths that differ between
 * `before` and `back`, which excludes records of a late event. Without such paths, the state must equal
 * `back`.
 */
export function findRevertedPlaces(
  { observer, recorded }: Comparing,
  { before, after, back }: Record<'before' | 'after' | 'back', ProbeState>,
): boolean {
  const decisive = observer
    .differences(before, back)
    .filter(({ place, from, to }) => !isWithin(place, recorded) && !NO_VALUE.has(from) && !NO_VALUE.has(to));
  const changed = observer.differences(before, after);
  if (decisive.length === 0) return changed.length > 0 && observer.differences(after, back).length === 0;
  return decisive.some(({ place, from, to }) => {
    const change = changed.find((one) => one.place === place);
    return change !== undefined && !isFurther(from ?? '', change.to, to ?? '');
  });
}

export function becamePaid(
  { observer, paid, decisive }: TwinStates,
  before: ProbeState,
  after: ProbeState,
): boolean {
  const wanted = new Map([...decisive].map((place) => [place, paid.get(place)]));
  return hasReached(observer.differences(before, after), wanted);
}

/** Returns true if a withdrawal changed from `before` toward `wanted`. */
export function hasMoved(
  twins: Comparing,
  { before, after, wanted }: Record<'before' | 'after' | 'wanted', ProbeState>,
): boolean {
  const { observer } = twins;
  const values = observer.differences(before, wanted).map(({ place, to }) => [place, to] as const);
  const isReached = hasReached(observer.differences(before, after), new Map(values));
  return isReached || findRevertedPlaces(twins, { before, after, back: wanted });
}

/** Returns true if a path reached its wanted value, or if a wanted word appeared elsewhere, e.g. in a log. */
function hasReached(
  changed: readonly ProbeDifference[],
  wanted: ReadonlyMap<string, string | null | undefined>,
): boolean {
  const words = new Set([...wanted.values()].filter(isWord));
  return changed.some(({ place, to }) => to !== null && (to === wanted.get(place) || words.has(to)));
}

/** Returns true for meaningful text, but not for numbers or times. */
function isWord(value: string | null | undefined): value is string {
  if (value == null || /^(?:true|false|null)$/.test(value)) return false;
  return /\p{L}{3}/u.test(value.replaceAll(/\{\w+\}/g, ''));
}

import type { Difference, State } from './state.js';
import { isWithin } from './state.js';
import type { Observer } from './observer.js';

/** The states of orders that were treated as they should be. */
export interface Twins {
  readonly observer: Observer;
  /** The state of an order without an event, and after a single `pix.settled`. */
  readonly unpaid: State;
  readonly paid: State;
  /** Places that a payment changes to the same value for each order. */
  readonly decisive: ReadonlySet<string>;
  /** Places that a payment changes to a value of their own for each order, such as the number of a receipt. */
  readonly varying: ReadonlySet<string>;
  /** Places that record any event, even one without an effect, such as a counter or the last type. */
  readonly recorded: ReadonlySet<string>;
}

/** The differences between a state and that of a paid order; a varying place only has to differ from an unpaid order. */
export function unlikePaid({ observer, unpaid, paid, varying }: Twins, state: State): Difference[] {
  return observer
    .differences(paid, state)
    .filter(({ place, to }) => !varying.has(place) || to === (unpaid.get(place) ?? null));
}

/** Whether each decisive place has the value of a paid order. */
export function isPaid({ paid, decisive }: Twins, state: State): boolean {
  return [...decisive].every((place) => state.get(place) === paid.get(place));
}

/** Splits the places that a payment changed by whether a second paid order has the same value; null where that order is not paid. */
export function compareSecond(
  changed: readonly Difference[],
  second: { readonly before: State; readonly after: State },
): { readonly decisive: ReadonlySet<string>; readonly varying: ReadonlySet<string> } | null {
  const { before, after } = second;
  const decisive = new Set<string>();
  const varying = new Set<string>();
  for (const { place, to } of changed) {
    if ((after.get(place) ?? null) === to) decisive.add(place);
    else if (after.get(place) === before.get(place)) return null;
    else varying.add(place);
  }
  return decisive.size === 0 ? null : { decisive, varying };
}

/** The places that record an event of a type without an effect, and those that also record its repeat: counters, lists, logs, the last type. */
export function recordingPlaces(
  observer: Observer,
  type: string,
  [before, once, twice]: readonly [before: State, once: State, twice: State],
): { readonly ofEvents: Difference[]; readonly ofRepeats: Difference[] } {
  const changed = observer.differences(before, once);
  const recorded = changed.filter((one) => isGrowth(one) || one.to?.includes(type) === true);
  // The empty place of an object that appeared.
  const replaced = changed.filter(({ place }) => recorded.some((one) => one.place.startsWith(`${place}.`)));
  return {
    ofEvents: [...recorded, ...replaced],
    ofRepeats: observer.differences(once, twice).filter(isGrowth),
  };
}

/** Whether a number grew or something was added. */
function isGrowth({ from, to }: Difference): boolean {
  return to !== null && (from === null || (isNumber(from) && isNumber(to) && Number(to) > Number(from)));
}

function isNumber(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text);
}

const NO_VALUE = new Set(['null', 'false', '""', '{}', '']);

function hasValue(value: string | null): boolean {
  return value !== null && !NO_VALUE.has(value);
}

/** Whether a number has moved further away from the state to which it would go back. */
function isFurther(before: string, after: string | null, back: string): boolean {
  if (after === null || ![before, after, back].every(isNumber)) return false;
  const [from, to] = [Number(before) - Number(back), Number(after) - Number(back)];
  return Math.sign(from) === Math.sign(to) && Math.abs(to) > Math.abs(from);
}

/**
 * Whether a state went back from `before`. A place counts that has one value before and another in `back`, the state to which it would
 * go, so that a note of a late event or a counter changes nothing; where there is no such place, it went back if it is like `back`.
 */
export function wentBack(
  { observer, recorded }: Pick<Twins, 'observer' | 'recorded'>,
  { before, after, back }: Record<'before' | 'after' | 'back', State>,
): boolean {
  const decisive = observer
    .differences(before, back)
    .filter(({ place, from, to }) => !isWithin(place, recorded) && hasValue(from) && hasValue(to));
  const changed = observer.differences(before, after);
  if (decisive.length > 0) {
    return decisive.some(({ place, from, to }) => {
      const change = changed.find((one) => one.place === place);
      return change !== undefined && !isFurther(from ?? '', change.to, to ?? '');
    });
  }
  return changed.length > 0 && observer.differences(after, back).length === 0;
}

/** Whether a payment was applied between two states. */
export function wasPaid({ observer, paid, decisive }: Twins, before: State, after: State): boolean {
  const wanted = new Map([...decisive].map((place) => [place, paid.get(place)]));
  return hasReached(observer.differences(before, after), wanted);
}

/** Whether a withdrawal moved between two states as one that `wanted` shows. */
export function wasMoved(
  { observer, recorded }: Pick<Twins, 'observer' | 'recorded'>,
  { before, after, wanted }: Record<'before' | 'after' | 'wanted', State>,
): boolean {
  const values = observer
    .differences(before, wanted)
    .map(({ place, to }) => [place, to ?? undefined] as const);
  return (
    wentBack({ observer, recorded }, { before, after, back: wanted }) ||
    hasReached(observer.differences(before, after), new Map(values))
  );
}

/** Whether a place takes its wanted value or, in a log, where places depend on what came before, such a value is added anywhere. */
function hasReached(
  changed: readonly Difference[],
  wanted: ReadonlyMap<string, string | undefined>,
): boolean {
  if (changed.some(({ place, to }) => to !== null && to === wanted.get(place))) return true;
  const words = new Set([...wanted.values()].filter(isWord));
  return changed.some(({ to }) => to !== null && words.has(to));
}

/** Whether a value is text that says something, unlike a number or a time. */
function isWord(value: string | undefined): value is string {
  return (
    value !== undefined &&
    /\p{L}{3}/u.test(value.replaceAll(/\{\w+\}/g, '')) &&
    !/^(?:true|false|null)$/.test(value)
  );
}

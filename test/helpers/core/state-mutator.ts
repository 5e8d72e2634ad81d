import type { Chance } from '../random.js';

/** An invalid or changed state, and what was done to it. */
export interface Mutant {
  readonly what: string;
  /** As text, because JSON can express numbers beyond every number. */
  readonly json: string;
}

type Owner = Record<string, unknown>;
interface Place {
  readonly owner: Owner;
  readonly key: string;
  readonly path: string;
}

/** Replaced by a number beyond every number, which JSON can express. */
const BEYOND = '@beyond every number@';
const NUMBERS = [-1, 0, 0.5, 2 ** 31, 253_402_300_799_999, 2 ** 53, -1e300, BEYOND, 'NaN'];
const TEXTS = [
  '',
  ' ',
  '__proto__',
  'constructor',
  '../..',
  '\u0000',
  '\ud800',
  '\u202e\ufeff',
  'ü'.repeat(3_000),
  'whsec_a',
  'https://1.2.3.999/',
  'http://[::1]:99999/',
  '00000000-0000-4000-8000-000000000009',
  '999999999999999999999999999',
];
const OTHERS: readonly unknown[] = [null, true, [], {}, [null], [[]], { id: 'x' }];

function pick<Item>(chance: Chance, items: readonly Item[]): Item | undefined {
  return items[Math.floor(chance() * items.length)];
}

/** Any place of a state: each table is equally likely, whatever its length. */
function anyPlace(chance: Chance, root: unknown): Place | undefined {
  let found: Place | undefined;
  let value = root;
  let path = '';
  for (;;) {
    if (typeof value !== 'object' || value === null) return found;
    const owner = value as Owner;
    // Nearly all of a state is its world.
    const key = found === undefined && chance() < 0.95 ? 'world' : pick(chance, Object.keys(owner));
    if (key === undefined) return found;
    path = path === '' ? key : `${path}.${key}`;
    found = { owner, key, path };
    if (chance() < (path.includes('.') ? 0.15 : 0.03)) return found;
    value = owner[key];
  }
}

/** Values of the same field elsewhere, such as another row's id. */
function namesakes(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    (name === key ? [child as unknown] : []).concat(namesakes(child, key)),
  );
}

/** Returns the value for a place of the state. */
type Change = (chance: Chance, place: Place, state: unknown) => unknown;

const VALUES: Readonly<Record<string, Change>> = {
  number: (chance) => pick(chance, NUMBERS),
  shift: (chance, { owner, key }) => {
    const value = owner[key];
    const by = pick(chance, [-86_400_000, -1, 1, 86_400_000, 1e12]) ?? 1;
    if (typeof value === 'number') return value + by;
    return typeof value === 'string' && /^\d+$/.test(value) ? String(BigInt(value) + BigInt(by)) : by;
  },
  text: (chance) => pick(chance, TEXTS),
  other: (chance) => pick(chance, OTHERS),
  retype: (_chance, { owner, key }) => {
    const value = owner[key];
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string') return value.length;
    return Array.isArray(value) ? Object.fromEntries(value.entries()) : [value];
  },
  deep: () => JSON.parse('['.repeat(60) + ']'.repeat(60)) as unknown,
  namesake: (chance, { owner, key }, state) => pick(chance, namesakes(state, key)) ?? owner[key],
  id: (chance, _place, state) => pick(chance, namesakes(state, 'id')),
  elsewhere: (chance, _place, state) => {
    const place = anyPlace(chance, state);
    return place?.owner[place.key];
  },
  reversed: (_chance, { owner, key }) => {
    const value = owner[key];
    return Array.isArray(value) ? value.toReversed() : value;
  },
};

/** Changes that remove or repeat a member instead of replacing its value. */
const MEMBERS: Readonly<Record<string, (place: Place) => void>> = {
  drop: ({ owner, key }) => {
    if (Array.isArray(owner)) owner.splice(Number(key), 1);
    else delete owner[key];
  },
  duplicate: ({ owner, key }) => {
    if (Array.isArray(owner)) owner.splice(Number(key), 0, structuredClone(owner[key]));
    else owner[`${key}2`] = structuredClone(owner[key]);
  },
};
const NAMES = [...Object.keys(VALUES), ...Object.keys(MEMBERS)];

/** A copy of a state with one change, or now and then two and three. */
export function mutate(state: unknown, chance: Chance): Mutant {
  const copy: unknown = structuredClone(state);
  const done: string[] = [];
  do {
    const place = anyPlace(chance, copy);
    const name = pick(chance, NAMES) ?? 'drop';
    if (place === undefined) break;
    const value = VALUES[name];
    if (value === undefined) MEMBERS[name]?.(place);
    else place.owner[place.key] = structuredClone(value(chance, place, copy));
    done.push(`${name} ${place.path}`);
  } while (chance() < 0.2);
  return { what: done.join(', '), json: JSON.stringify(copy).replaceAll(`"${BEYOND}"`, '1e999') };
}

import type { Chance } from '../chance.js';

/** A state with something wrong in it, and what was done to it. */
export interface Mutant {
  readonly what: string;
  /** As text, because JSON can say numbers that no value is. */
  readonly json: string;
}

type Owner = Record<string, unknown>;
interface Place {
  readonly owner: Owner;
  readonly key: string;
  readonly path: string;
}

/** Stands for a number beyond every number, which JSON can write. */
const BEYOND = '@beyond every number@';
const NUMBERS: readonly unknown[] = [
  -1,
  0,
  1,
  2,
  0.5,
  1e9,
  2 ** 31,
  2 ** 32,
  253_402_300_799_999,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  1e300,
  -1e300,
  BEYOND,
  'NaN',
];
const TEXTS: readonly string[] = [
  '',
  ' ',
  'x',
  '0',
  'null',
  '__proto__',
  'constructor',
  '../..',
  '\u0000',
  '\ud800',
  'a\udfffb',
  '\u{1f600}',
  '\u202e\ufeff',
  'a'.repeat(200),
  'ü'.repeat(3_000),
  'whsec_',
  'whsec_a',
  'foo',
  'https://',
  'https://1.2.3.999/',
  'http://[::1]:99999/',
  '00000000-0000-4000-8000-000000000009',
  '999999999999999999999999999',
];
const OTHERS: readonly unknown[] = [null, true, false, [], {}, [null], [[]], { id: 'x' }];

function pick<Item>(chance: Chance, items: readonly Item[]): Item | undefined {
  return items[Math.floor(chance() * items.length)];
}

/** Any place of a state: a table is as likely as another, however long it is. The state has a field `world`. */
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

/** Values that stand in the same field somewhere else, such as another row's id. */
function namesakes(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) =>
    (name === key ? [child as unknown] : []).concat(namesakes(child, key)),
  );
}

/** An id for an id, as of a row of another kind. */
function idsIn(value: unknown): unknown[] {
  return namesakes(value, 'id').filter((id) => typeof id === 'string');
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

type Change = (chance: Chance, place: Place, state: unknown) => void;

function set(value: (chance: Chance, place: Place, state: unknown) => unknown): Change {
  return (chance, place, state) => {
    place.owner[place.key] = structuredClone(value(chance, place, state));
  };
}

const CHANGES: Readonly<Record<string, Change>> = {
  drop: (_chance, { owner, key }) => {
    if (Array.isArray(owner)) owner.splice(Number(key), 1);
    else delete owner[key];
  },
  duplicate: (_chance, { owner, key }) => {
    if (Array.isArray(owner)) owner.splice(Number(key), 0, structuredClone(owner[key]));
    else owner[`${key}2`] = structuredClone(owner[key]);
  },
  number: set((chance) => pick(chance, NUMBERS)),
  shift: set((chance, { owner, key }) => {
    const value = owner[key];
    const by = pick(chance, [-86_400_000, -1, 1, 1_000, 86_400_000, 1e12]) ?? 1;
    if (typeof value === 'number') return value + by;
    return typeof value === 'string' && /^\d+$/.test(value) ? String(BigInt(value) + BigInt(by)) : by;
  }),
  text: set((chance) => pick(chance, TEXTS)),
  other: set((chance) => pick(chance, OTHERS)),
  retype: set((_chance, { owner, key }) => {
    const value = owner[key];
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string') return value.length;
    return Array.isArray(value) ? Object.fromEntries(value.entries()) : [value];
  }),
  blank: set((_chance, { owner, key }) => (owner[key] === null ? 0 : null)),
  deep: set((chance) => nested(pick(chance, [3, 20, 60]) ?? 3)),
  swap: (chance, { owner, key }, state) => {
    const other = anyPlace(chance, state);
    if (other !== undefined) {
      const value = owner[key];
      owner[key] = structuredClone(other.owner[other.key]);
      other.owner[other.key] = structuredClone(value);
    }
  },
  namesake: set((chance, { owner, key }, state) => pick(chance, namesakes(state, key)) ?? owner[key]),
  id: set((chance, _place, state) => pick(chance, idsIn(state))),
  shuffle: (chance, { owner, key }) => {
    const value = owner[key];
    const list = Array.isArray(value) ? value : Array.isArray(owner) ? owner : [];
    for (let last = list.length - 1; last > 0; last -= 1) {
      const at = Math.floor(chance() * (last + 1));
      [list[last], list[at]] = [list[at], list[last]];
    }
  },
};

/** A copy of a state in which one thing, or now and then a second and third one, was changed. */
export function mutate(state: unknown, chance: Chance): Mutant {
  const copy: unknown = structuredClone(state);
  const done: string[] = [];
  do {
    const place = anyPlace(chance, copy);
    const [name, change] = pick(chance, Object.entries(CHANGES)) ?? [];
    if (place === undefined || change === undefined) break;
    change(chance, place, copy);
    done.push(`${name} ${place.path}`);
  } while (chance() < 0.2);
  return { what: done.join(', '), json: JSON.stringify(copy).replaceAll(`"${BEYOND}"`, '1e999') };
}

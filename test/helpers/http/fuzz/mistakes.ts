import type { Chance } from '../../chance.js';
import type { Draft } from './draft.js';
import { pick, wellFormed, withPatience } from './draft.js';
import { LONG, NUMBERS, TEXTS, VALUES, METHODS, TYPES, ENCODED, PATH_TRICKS } from './odd-values.js';

type Mistake = (draft: Draft, chance: Chance) => void;

function set(draft: Draft, name: string, value: string): void {
  const at = draft.headers.findIndex(([known]) => known.toLowerCase() === name.toLowerCase());
  if (at < 0) draft.headers.push([name, value]);
  else draft.headers[at] = [name, value];
}

/** Where something stands within a JSON value. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

function placesIn(value: unknown, depth = 0): Place[] {
  if (typeof value !== 'object' || value === null || depth > 6) return [];
  const holder = value as Record<string, unknown>;
  const names = Object.keys(holder);
  return [
    ...names.map((name) => ({ holder, name })),
    ...names.flatMap((name) => placesIn(holder[name], depth + 1)),
  ];
}

/** Changes something in the body; where there is none, it gets one. */
function inBody(change: (place: Place, chance: Chance) => void): Mistake {
  return (draft, chance) => {
    draft.json = structuredClone(draft.json ?? { extra: 1 });
    set(draft, 'Content-Type', 'application/json');
    const place = pick(chance, placesIn(draft.json));
    if (place === undefined) draft.json = pick(chance, VALUES);
    else change(place, chance);
  };
}

/** Changes the text of the body. */
function inText(change: (text: string, chance: Chance) => string | Buffer): Mistake {
  return (draft, chance) => {
    set(draft, 'Content-Type', 'application/json');
    draft.raw = Buffer.from(change(JSON.stringify(withPatience(draft) ?? { a: 1 }), chance));
  };
}

function inHead(change: (text: string, chance: Chance) => string): Mistake {
  return (draft, chance) => draft.rewrites.push((text) => change(text, chance));
}

function again(name: string): Mistake {
  return (draft, chance) => {
    const there = draft.headers.find(([known]) => known.toLowerCase() === name);
    draft.headers.push([name, chance() < 0.5 ? (there?.[1] ?? 'x') : 'another-value-of-this-header']);
  };
}

function signed(how: Draft['sign']): Mistake {
  return (draft) => {
    draft.sign = { ...draft.sign, ...how };
  };
}

function nested(depth: number): string {
  return '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
}

const BODY: Readonly<Record<string, Mistake>> = {
  'another value': inBody(({ holder, name }, chance) => (holder[name] = pick(chance, VALUES))),
  'a number out of bounds': inBody(({ holder, name }, chance) => (holder[name] = pick(chance, NUMBERS))),
  'an odd text': inBody(({ holder, name }, chance) => (holder[name] = pick(chance, TEXTS))),
  'a missing field': inBody(({ holder, name }) => {
    delete holder[name];
  }),
  'a field too many': inBody(({ holder }, chance) => (holder[pick(chance, TEXTS)] = 1)),
  'a value in a list': inBody(({ holder, name }) => (holder[name] = [holder[name]])),
  'a text for a number': inBody(({ holder, name }) => (holder[name] = String(holder[name]))),
  'another root': (draft, chance) => {
    draft.json = pick(chance, VALUES);
  },
  'a huge number': inText((text) => text.replace(/"[^"]*"(?=[,}\]])|\d+/, '1e999')),
  'digits without end': inText((text) => text.replace(/"[^"]*"(?=[,}\]])|\d+/, '9'.repeat(2_000))),
  'a field twice': inText((text) => text.replace(/\{(.*)\}/s, '{$1,$1}')),
  'a prototype': inText((text) => text.replace('{', '{"__proto__":{"isAdmin":true},')),
  'half a body': inText((text) => text.slice(0, text.length / 2)),
  'more after the body': inText((text) => `${text} {}`),
  'a byte order mark': inText((text) => `\ufeff${text}`),
  'bytes that are no text': inText((text) => Buffer.from(text.replace(/[a-z]/, '\u00ff'), 'latin1')),
  'deep nesting': inText((_, chance) => nested(pick(chance, [31, 32, 33, 5_000] as const))),
  'a comment': inText((text) => text.replace('{', '{/* */')),
  'an empty body': inText(() => ''),
  'a body over the limit': inText((text) => text + ' '.repeat(1_100_000)),
};

const QUERY: Readonly<Record<string, Mistake>> = {
  'an unknown parameter': (draft, chance) =>
    draft.query.push([
      pick(chance, ['colour', 'limit', 'after', 'status', '__proto__'] as const),
      pick(chance, TEXTS),
    ]),
  'a parameter twice': (draft, chance) =>
    draft.query.push(pick(chance, draft.query) ?? ['limit', '1'], ['limit', '2']),
  'an odd parameter': (draft, chance) => {
    const one = pick(chance, draft.query);
    if (one === undefined) draft.query.push(['limit', String(pick(chance, VALUES))]);
    else one[1] = pick(chance, TEXTS);
  },
  'a parameter in bad code': (draft, chance) => draft.query.push(['limit', pick(chance, ENCODED)]),
};

const PATH: Readonly<Record<string, Mistake>> = {
  'a path trick': (draft, chance) => {
    draft.path = pick(chance, PATH_TRICKS)(draft.path);
  },
  'an odd id': (draft, chance) => {
    const odd = chance() < 0.5 ? pick(chance, ENCODED) : encodeURIComponent(wellFormed(pick(chance, TEXTS)));
    draft.path = draft.target.path.replaceAll(/\{\w+\}/g, () => odd);
  },
  'another method': (draft, chance) => {
    draft.method = pick(chance, METHODS);
  },
};

const HEADERS: Readonly<Record<string, Mistake>> = {
  'another content type': (draft, chance) => set(draft, 'Content-Type', pick(chance, TYPES)),
  'another host': (draft, chance) =>
    set(
      draft,
      'Host',
      pick(chance, ['evil.example', 'localhost:99999', '', '127.0.0.1', '[::1]', 'localhost.'] as const),
    ),
  'an origin': (draft, chance) =>
    set(draft, 'Origin', pick(chance, ['https://evil.example', 'null', 'http://localhost'] as const)),
  'a foreign page': (draft, chance) =>
    set(draft, 'Sec-Fetch-Site', pick(chance, ['cross-site', 'same-site', 'none'] as const)),
  'another token': (draft, chance) =>
    set(
      draft,
      'Authorization',
      pick(chance, ['', 'Bearer', 'Bearer x', 'Basic eDp4', `Bearer ${LONG}`, 'bearer  x'] as const),
    ),
  'no token': (draft) => {
    const at = draft.headers.findIndex(([name]) => name === 'Authorization');
    if (at >= 0) draft.headers.splice(at, 1);
  },
  'two hosts': again('host'),
  'two tokens': again('authorization'),
  'two content types': again('content-type'),
  'two keys': again('idempotency-key'),
  'two nonces': again('x-nonce'),
  'two lengths': (draft) => draft.headers.push(['Content-Length', '1'], ['Content-Length', '2']),
  'a length and chunks': (draft) =>
    draft.headers.push(['Content-Length', '1'], ['Transfer-Encoding', 'chunked']),
  'a header over the limit': (draft) => draft.headers.push(['X-Long', 'x'.repeat(20_000)]),
  'a hundred headers': (draft) => {
    for (let count = 0; count < 100; count += 1) draft.headers.push([`X-${count}`, 'x']);
  },
  'odd bytes in a header': (draft) => draft.headers.push(['X-Odd', '\u00ff\u0080']),
  'an odd key': (draft, chance) =>
    set(
      draft,
      'Idempotency-Key',
      pick(chance, ['short', 'x'.repeat(256), 'ümlaut-ümlaut-ümlaut', ' '] as const),
    ),
  'an upgrade': (draft) => draft.headers.push(['Upgrade', 'websocket']),
  'an expectation': (draft) => draft.headers.push(['Expect', '100-continue']),
  'a strange expectation': (draft) => draft.headers.push(['Expect', 'the-unexpected']),
  'an overridden method': (draft) => draft.headers.push(['X-HTTP-Method-Override', 'DELETE']),
  'a space before a colon': inHead((text) => text.replace('Host:', 'Host :')),
  'a bare line feed': inHead((text) => text.replace('\r\n', '\n')),
  'a folded header': inHead((text) => text.replace('\r\n\r\n', '\r\nX-Folded: a\r\n b\r\n\r\n')),
  'another version': inHead((text, chance) =>
    text.replace('HTTP/1.1', pick(chance, ['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'HTTP'] as const)),
  ),
  'a body that ends early': (draft) => {
    set(draft, 'Content-Length', 'more than comes');
    set(draft, 'Content-Type', 'application/json');
    draft.breaksOff = true;
  },
  'chunks that are none': (draft) => {
    set(draft, 'Transfer-Encoding', 'chunked');
    set(draft, 'Content-Type', 'application/json');
    draft.breaksOff = true;
  },
};

const SIGNATURE: Readonly<Record<string, Mistake>> = {
  'another secret': signed({ secret: 'another' }),
  'another signed body': signed({ body: 'other' }),
  'another signed target': signed({ target: '/elsewhere' }),
  'an old timestamp': signed({ timestampS: 1 }),
  'a used nonce': signed({ nonce: 'a-nonce-that-was-used-before' }),
  'a short nonce': inHead((text) => text.replace(/x-nonce: .*/, 'x-nonce: short')),
  'an odd timestamp': inHead((text) => text.replace(/x-timestamp: .*/, 'x-timestamp: 1e9')),
  'a broken signature': inHead((text) => text.replace(/(x-signature: ).*/, '$1nothing')),
  'half a signature': inHead((text) => text.replace(/(x-signature: .{20}).*/, '$1')),
  'no nonce': inHead((text) => text.replace(/x-nonce: .*\r\n/, '')),
};

const GROUPS = [BODY, BODY, BODY, QUERY, PATH, HEADERS, HEADERS, SIGNATURE].map((group) =>
  Object.entries(group),
);

/** Every mistake by name. */
export const MISTAKES: readonly string[] = [...new Set(GROUPS.flat().map(([name]) => name))];

/** Makes up to three mistakes, and now and then none. */
export function makeMistakes(draft: Draft, chance: Chance): void {
  const count = pick(chance, [0, 1, 1, 1, 1, 1, 2, 2, 3] as const);
  for (let made = 0; made < count; made += 1) {
    const [name, mistake] = pick(chance, pick(chance, GROUPS) ?? []) ?? [];
    if (name === undefined || mistake === undefined) continue;
    mistake(draft, chance);
    draft.mistakes.push(name);
  }
}

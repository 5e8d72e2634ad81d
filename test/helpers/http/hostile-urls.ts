import { hostileAddresses } from './hostile-addresses.js';

/**
 * What becomes of a part of a URL: `fine`; `refused`, as the contract allows no such place; `public literal`, an address that is
 * public; or `malformed`, no text that a URL field takes.
 */
export type Verdict = 'fine' | 'public literal' | 'refused' | 'malformed';

export interface UrlCase {
  readonly text: string;
  readonly verdict: Verdict;
}

type Parts = readonly (readonly [text: string, verdict: Verdict])[];

const all = (verdict: Verdict, ...texts: readonly string[]): Parts =>
  texts.map((text) => [text, verdict] as const);

const SCHEMES: Parts = [
  ...all(
    'fine',
    'https://',
    'HTTPS://',
    'hTtPs://',
    'https:/',
    'https:',
    'https:///',
    'https:\\\\',
    ' https://',
  ),
  ...all(
    'refused',
    'http://',
    'HTTP://',
    'ftp://',
    'ws://',
    'wss://',
    'file://',
    'gopher://',
    'ldap://',
    'javascript://',
    'data:',
  ),
  ...all(
    'refused',
    'blob:https://',
    'view-source:https://',
    'httpss://',
    'https//',
    '//',
    '',
    '://',
    'ｈttps://',
    'h\u200bttps://',
  ),
  ...all('malformed', 'https\u0000://', 'ht\ntps://', '\thttps://', 'https:\u007f//', '\u0085https://'),
];

const USERS: Parts = [
  ...all('fine', '', '@', ':@'),
  ...all(
    'refused',
    'user@',
    'user:secret@',
    ':secret@',
    'shop.example@',
    'shop.example:443@',
    '%40@',
    'a@b@',
    '%00@',
    'ü@',
  ),
];

const NAMES: Parts = [
  ...all(
    'fine',
    'shop.example',
    'SHOP.Example',
    'shop.example.',
    'a',
    'x_y.example',
    'xn--bcher-kva.example',
    'bücher.example',
  ),
  ...all(
    'fine',
    'shop。example',
    'shop．example',
    'ｓｈｏｐ.example',
    'sh\u00adop.example',
    'localhost.example',
    '127.0.0.1.example',
  ),
  ...all(
    'fine',
    '1.2.3.4.example',
    'sh%6Fp.example',
    'xn--80ak6aa92e.example',
    'аpple.example',
    `${'a'.repeat(63)}.example`,
    '0x7f.example',
  ),
  ...all(
    'refused',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'a.b.LocalHost.',
    'ｌｏｃａｌｈｏｓｔ',
    'loc\u00adalhost',
  ),
  ...all(
    'refused',
    'localhost。',
    'lo%63alhost',
    'ⓛocalhost',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'x.ｌocalhost',
    '127.0.0.1.localhost',
  ),
  ...all(
    'refused',
    '',
    'a b',
    'a<b',
    'a^b',
    'a|b',
    'a%',
    '%00',
    'a%00b',
    'a%20b',
    'shop%2fexample',
    'a%25b',
    'xn--',
  ),
  ...all(
    'refused',
    '1.2.3.256',
    '1.2.3.4.5',
    '256.0.0.1',
    '0x100000000',
    '4294967296',
    'foo.0x4',
    '09.1.1.1',
    '1..2',
    '1.2.3.4x.9',
  ),
  ...all(
    'refused',
    '::1',
    '[::1',
    '[]',
    '[:]',
    '[1:2:3]',
    '[::1]x',
    '[::1%25lo]',
    '[fe80::1%eth0]',
    '[fe80::1%25eth0]',
    '[::g]',
    '[1::2::3]',
  ),
  ...all('refused', '[::ffff:1.2.3.256]', '[::1.2.3]', '[v1.x]', '[::ffff:0x7f.0.0.1]'),
  ...all(
    'malformed',
    '\ud800',
    'shop\u0000.example',
    'shop\n.example',
    'sh\top.example',
    'shop.example\r',
    'shop\u001b[2J.example',
  ),
];

const PORTS: Parts = [
  ...all('fine', '', ':443', ':8443', ':65535', ':1', ':0', ':', ':00443'),
  ...all(
    'refused',
    ':65536',
    ':-1',
    ':x',
    ':443x',
    ':+443',
    ':4 43',
    ':99999999999',
    ':４４３',
    ':0x1bb',
    ':443:443',
  ),
];

const RESTS: Parts = [
  ...all(
    'fine',
    '',
    '/',
    '/hook',
    '?x=1',
    '#part',
    '/a b',
    '/\\..\\',
    '/%00',
    '/../..',
    '/@evil.example',
    '//evil.example',
    '/hook ',
  ),
  ...all(
    'fine',
    '\\@localhost',
    '/https://localhost',
    '?@127.0.0.1',
    '#@[::1]',
    '/ü',
    '/%zz',
    `/${'x'.repeat(1_900)}`,
  ),
  ...all('malformed', `/${'x'.repeat(2_048)}`, '/\n', '/\u0000', '/\u007f', '/a\tb', '/\u009b2J', '/\ud800'),
];

const literals: Parts = hostileAddresses().map(({ text, isPublic }) => [
  text,
  isPublic ? 'public literal' : 'refused',
]);

const ORDER: readonly Verdict[] = ['fine', 'public literal', 'refused', 'malformed'];

/** A URL is as bad as its worst part. */
function joined(parts: readonly (readonly [string, Verdict])[]): UrlCase {
  const worst = Math.max(...parts.map(([, verdict]) => ORDER.indexOf(verdict)));
  return { text: parts.map(([text]) => text).join(''), verdict: ORDER[worst] ?? 'malformed' };
}

/**
 * Every part of every kind beside parts that are fine, beside one of the next kind, and the addresses. Nothing
 * here reads a URL: what becomes of one follows from what it was put together from.
 */
export function hostileUrls(): UrlCase[] {
  const fine = [SCHEMES, USERS, NAMES, PORTS, RESTS].map(([part]) => part ?? (['', 'fine'] as const));
  const NAMES_AT = 2;
  const columns = [SCHEMES, USERS, [...NAMES, ...literals], PORTS, RESTS];
  const cases = new Map<string, UrlCase>();
  const add = (parts: readonly (readonly [string, Verdict])[]) => {
    const made = joined(parts);
    cases.set(made.text, made);
  };
  columns.forEach((column, at) => {
    column.forEach((part, index) => {
      add(fine.with(at, part));
      if (at === NAMES_AT && index >= NAMES.length) return;
      const [next, other] = [(at + 1) % columns.length, columns[(at + 1) % columns.length] ?? []];
      const neighbour = other[(index * 7) % other.length];
      if (neighbour !== undefined) add(fine.with(at, part).with(next, neighbour));
    });
  });
  return [...cases.values()];
}

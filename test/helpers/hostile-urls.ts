import { edges, isSpecial, numberOf, textOf } from './special-ranges.js';

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
    '\ud800',
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
    '/\ud800',
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
  ...all('malformed', `/${'x'.repeat(2_048)}`, '/\n', '/\u0000', '/\u007f', '/a\tb', '/\u009b2J'),
];

/** All the ways in which WHATWG lets one write an IPv4 address. */
const FORMS_V4: readonly ((value: bigint) => string)[] = [
  (value) => textOf({ family: 4, value }),
  (value) => String(value),
  (value) => `0x${value.toString(16)}`,
  (value) => `0${value.toString(8)}`,
  (value) =>
    partsOf(value)
      .map((part) => `0x${part.toString(16)}`)
      .join('.'),
  (value) =>
    partsOf(value)
      .map((part) => `0${part.toString(8)}`)
      .join('.'),
  (value) => `${value >> 24n}.${value & 0xff_ffffn}`,
  (value) => `${value >> 24n}.${(value >> 16n) & 0xffn}.0X${(value & 0xffffn).toString(16).toUpperCase()}`,
  (value) => `${textOf({ family: 4, value })}.`,
  (value) => fullWidth(textOf({ family: 4, value })),
  (value) => textOf({ family: 4, value }).replaceAll('.', '。'),
  (value) => textOf({ family: 4, value }).replaceAll(/\d/g, (digit) => `%3${digit}`),
  (value) =>
    partsOf(value)
      .map((part) => `000${part.toString(8)}`)
      .join('.'),
];

const FORMS_V6: readonly ((value: bigint) => string)[] = [
  (value) => `[${textOf({ family: 6, value })}]`,
  (value) => `[${textOf({ family: 6, value }).toUpperCase()}]`,
  (value) =>
    `[${textOf({ family: 6, value })
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(':')}]`,
  (value) => `[${textOf({ family: 6, value }).replace(/(?:^|:)0(?::0)+(?:$|:)/, '::')}]`,
  (value) =>
    `[${textOf({ family: 6, value: value >> 32n })
      .split(':')
      .slice(2)
      .join(':')}:${textOf({ family: 4, value: value & 0xffff_ffffn })}]`,
];

function partsOf(value: bigint): bigint[] {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn);
}

function fullWidth(text: string): string {
  return text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
}

const NOTABLE_V4 = [
  '127.0.0.1',
  '169.254.169.254',
  '10.0.0.7',
  '192.168.1.1',
  '0.0.0.0',
  '255.255.255.255',
  '8.8.8.8',
  '93.184.215.14',
];
const NOTABLE_V6 = [
  '::1',
  '::',
  'fe80::1',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '100::1',
  '5f00::1',
  '2606:4700:4700::1111',
];
/** Ways to carry an IPv4 address in an IPv6 one: mapped, compatible, translated, NAT64, local NAT64, 6to4, Teredo. */
const WRAPS: readonly ((value: bigint) => bigint)[] = [
  (value) => 0xffff_0000_0000n + value,
  (value) => value,
  (value) => 0xffff_0000_0000_0000n + value,
  (value) => (0x64_ff9bn << 96n) + value,
  (value) => (0x64_ff9b_0001n << 80n) + value,
  (value) => (0x2002n << 112n) + (value << 80n),
  (value) => (0x2001_0000n << 96n) + (value ^ 0xffff_ffffn),
];

function literal(family: 4 | 6, value: bigint, form: number): readonly [string, Verdict] {
  const forms = family === 4 ? FORMS_V4 : FORMS_V6;
  const text = forms[form % forms.length]?.(value) ?? '';
  return [text, isSpecial({ family, value }) ? 'refused' : 'public literal'];
}

/** Addresses at the edges of all ranges, each in two forms, and those with a name of their own in every form. */
function literals(): Parts {
  const notable = NOTABLE_V4.map((address) => numberOf(address).value);
  return [
    ...edges(4).flatMap((value, index) =>
      [0, 1 + (index % (FORMS_V4.length - 1))].map((form) => literal(4, value, form)),
    ),
    ...edges(6).flatMap((value, index) =>
      [0, 1 + (index % (FORMS_V6.length - 1))].map((form) => literal(6, value, form)),
    ),
    ...notable.flatMap((value) => FORMS_V4.map((_, form) => literal(4, value, form))),
    ...NOTABLE_V6.flatMap((address) => FORMS_V6.map((_, form) => literal(6, numberOf(address).value, form))),
    ...notable.flatMap((value) =>
      WRAPS.flatMap((wrap) => [0, 4].map((form) => literal(6, wrap(value), form))),
    ),
  ];
}

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
  const columns = [SCHEMES, USERS, [...NAMES, ...literals()], PORTS, RESTS];
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

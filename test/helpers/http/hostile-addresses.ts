import { edges, isSpecial, numberOf, textOf } from '../delivery/special-ranges.js';

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

/** An address as it stands in a URL. */
export interface HostileAddress {
  readonly text: string;
  readonly isPublic: boolean;
}

function literal(family: 4 | 6, value: bigint, form: number): HostileAddress {
  const forms = family === 4 ? FORMS_V4 : FORMS_V6;
  const text = forms[form % forms.length]?.(value) ?? '';
  return { text, isPublic: !isSpecial({ family, value }) };
}

/** Addresses at the edges of all ranges, each in two forms, and those with a name of their own in every form. */
export function hostileAddresses(): HostileAddress[] {
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

import {
  type Mistake,
  mistake,
  rowsAbout,
  type Subject,
  UNSET_TEXTS,
  type Variant,
  variantsOf,
  withRare,
} from './mistake.js';

const SIGN_AS_SENT =
  'Read the time once, in whole Unix seconds, and use the same text in the header and in the signed content.';

const row = rowsAbout('timestamp', SIGN_AS_SENT);

/** Texts that may have been signed instead of the timestamp. */
export const TIMESTAMP_MISTAKES: readonly Mistake[] = [
  withRare(
    timeRow('timestamp-milliseconds', 'The time was signed in milliseconds.', (time) => [`${time}000`]),
    ({ seconds }) => variantsOf('timestamp', milliseconds(seconds).map(String)),
  ),
  timeRow('timestamp-microseconds', 'The time was signed in microseconds.', (time) => [`${time}000000`]),
  timeRow('timestamp-nanoseconds', 'The time was signed in nanoseconds.', (time) => [`${time}000000000`]),
  withRare(
    timeRow('timestamp-fraction', 'The time was signed with a fraction.', (time) =>
      ['.0', '.00', '.000', '.000000'].map((fraction) => time + fraction),
    ),
    ({ seconds }) =>
      variantsOf(
        'timestamp',
        milliseconds(seconds).map((ms) => String(ms / 1000)),
      ),
  ),
  timeRow('timestamp-minutes', 'The time was signed in minutes.', (time) => [
    String(Math.floor(Number(time) / 60)),
  ]),
  row('timestamp-iso-date', 'The time was signed as an ISO date.', isoForms),
  row('timestamp-http-date', 'The time was signed as an HTTP date.', (subject) => [
    dateOf(subject)?.toUTCString(),
  ]),
  timeRow('timestamp-zero-padded', 'The time was signed with different leading zeros than sent.', (time) =>
    [0, 11, 12, 13].map((width) => time.padStart(width, '0')),
  ),
  row('timestamp-quoted', 'The time was signed in quotes.', ({ right }) => {
    const text = Buffer.from(right.timestamp).toString('latin1');
    return [`"${text}"`, `'${text}'`, `b'${text}'`];
  }),
  mistake(
    'timestamp-other-second',
    'A different second was signed than was sent.',
    'Read the clock once; a second reading can be a second later.',
    otherSeconds,
  ),
  row('timestamp-unset', 'An unset value was signed in place of the time.', () => [
    ...UNSET_TEXTS,
    'NaN',
    '0',
  ]),
];

/** A row whose forms are made from the Unix seconds, as text. */
function timeRow(id: string, did: string, forms: (time: string) => readonly string[]): Mistake {
  return row(id, did, ({ seconds }) => (seconds === undefined ? [] : forms(String(seconds))));
}

/** All instants within a second, in milliseconds, except its beginning. */
function milliseconds(seconds: number | undefined): number[] {
  if (seconds === undefined) return [];
  return Array.from({ length: 999 }, (_value, at) => seconds * 1000 + at + 1);
}

function otherSeconds({ seconds }: Subject): Variant[] {
  if (seconds === undefined) return [];
  return [1, -1, 2, -2, 3, -3, 4, -4, 5, -5].map((shift) => ({
    change: { timestamp: String(seconds + shift) },
    detail: `${Math.abs(shift)} s ${shift > 0 ? 'later' : 'earlier'}`,
  }));
}

function dateOf({ seconds }: Subject): Date | undefined {
  // JavaScript has no date for later seconds.
  return seconds === undefined || seconds > 8_640_000_000_000 ? undefined : new Date(seconds * 1000);
}

function isoForms(subject: Subject): string[] {
  const iso = dateOf(subject)?.toISOString();
  if (iso === undefined) return [];
  const bare = iso.slice(0, -5);
  return [
    iso,
    `${bare}Z`,
    `${bare}+00:00`,
    bare,
    bare.replace('T', ' '),
    `${bare}.000000Z`,
    `${bare}.000000`,
  ];
}

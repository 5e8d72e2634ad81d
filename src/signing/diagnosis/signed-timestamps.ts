import {
  type Mistake,
  mistake,
  namedVariants,
  type Subject,
  UNSET_TEXTS,
  type Variant,
  variantsOf,
} from './mistake.js';

const SIGN_AS_SENT =
  'Read the time once, in whole Unix seconds, and use the same text in the header and in the signed content.';

/** Texts that may have been signed instead of the timestamp. */
export const TIMESTAMP_MISTAKES: readonly Mistake[] = [
  mistake('timestamp-milliseconds', 'The time was signed in milliseconds.', SIGN_AS_SENT, milliseconds),
  mistake('timestamp-microseconds', 'The time was signed in microseconds.', SIGN_AS_SENT, times('000000')),
  mistake('timestamp-nanoseconds', 'The time was signed in nanoseconds.', SIGN_AS_SENT, times('000000000')),
  mistake(
    'timestamp-fraction',
    'The time was signed with a fraction.',
    SIGN_AS_SENT,
    times('.0', '.00', '.000', '.000000'),
  ),
  mistake('timestamp-minutes', 'The time was signed in minutes.', SIGN_AS_SENT, ({ seconds }) =>
    variantsOf('timestamp', seconds === undefined ? undefined : String(Math.floor(seconds / 60))),
  ),
  mistake('timestamp-iso-date', 'The time was signed as an ISO date.', SIGN_AS_SENT, (subject) =>
    variantsOf('timestamp', ...isoForms(subject)),
  ),
  mistake('timestamp-http-date', 'The time was signed as an HTTP date.', SIGN_AS_SENT, (subject) =>
    variantsOf('timestamp', dateOf(subject)?.toUTCString()),
  ),
  mistake(
    'timestamp-zero-padded',
    'The time was signed with different leading zeros than sent.',
    SIGN_AS_SENT,
    ({ seconds }) =>
      seconds === undefined
        ? []
        : variantsOf(
            'timestamp',
            String(seconds),
            ...[11, 12, 13].map((width) => String(seconds).padStart(width, '0')),
          ),
  ),
  mistake('timestamp-quoted', 'The time was signed in quotes.', SIGN_AS_SENT, ({ right }) =>
    variantsOf('timestamp', `"${text(right.timestamp)}"`, `'${text(right.timestamp)}'`),
  ),
  mistake(
    'timestamp-other-second',
    'A different second was signed than was sent.',
    'Read the clock once; a second reading can be a second later.',
    otherSeconds,
  ),
  mistake('timestamp-unset', 'An unset value was signed in place of the time.', SIGN_AS_SENT, () =>
    variantsOf('timestamp', ...UNSET_TEXTS, 'NaN', '0'),
  ),
];

function text(value: Subject['right']['timestamp']): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('latin1');
}

function times(...endings: readonly string[]): (subject: Subject) => Variant[] {
  return ({ seconds }) =>
    seconds === undefined ? [] : variantsOf('timestamp', ...endings.map((ending) => `${seconds}${ending}`));
}

function milliseconds({ seconds }: Subject): Variant[] {
  if (seconds === undefined) return [];
  const variants: Variant[] = [];
  for (let ms = 0; ms < 1000; ms += 1) {
    variants.push({ change: { timestamp: String(seconds * 1000 + ms) }, alone: ms > 0 });
  }
  return variants;
}

function otherSeconds({ seconds }: Subject): Variant[] {
  if (seconds === undefined) return [];
  return namedVariants(
    'timestamp',
    [1, -1, 2, -2, 3, -3, 4, -4, 5, -5].map((shift) => [
      `${Math.abs(shift)} s ${shift > 0 ? 'later' : 'earlier'}`,
      String(seconds + shift),
    ]),
  );
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

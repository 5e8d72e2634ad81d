/** How far a timestamp may be from now, either way, unless the caller says otherwise (§5.5). */
export const DEFAULT_TOLERANCE_S = 300;

const TIMESTAMP_FORM = /^[0-9]{1,12}$/;

/** Unix seconds of a timestamp header, or undefined unless it is 1 to 12 decimal digits and nothing else (§5.2). */
export function parseTimestamp(text: string): number | undefined {
  return TIMESTAMP_FORM.test(text) ? Number(text) : undefined;
}

/** How the message writes a timestamp; a number that no header could carry is a mistake of the caller. */
export function formatTimestamp(timestampS: number): string {
  const text = String(timestampS);
  if (!TIMESTAMP_FORM.test(text)) {
    throw new RangeError(
      `Expected timestampS in whole Unix seconds, 0 to 999999999999, got ${text}. For milliseconds, use Math.floor(ms / 1000).`,
    );
  }
  return text;
}

/** Whole seconds of `now`; a fraction is dropped, as the reference receiver does. */
export function wholeSeconds(nowS: number): number {
  if (!Number.isFinite(nowS)) throw new RangeError(`Expected nowS in Unix seconds, got ${nowS}.`);
  return Math.floor(nowS);
}

/** The tolerance as given, once it is known to be a number that can refuse something. */
export function checkedTolerance(toleranceS: number): number {
  if (!(toleranceS >= 0)) throw new RangeError(`Expected toleranceS of 0 or more, got ${toleranceS}.`);
  return toleranceS;
}

/** What a timestamp looks like when it is not Unix seconds, in words for an error message. */
export function describeTimestamp(text: string): string {
  if (/^[0-9]{13}$/.test(text)) return '13 digits, which looks like milliseconds';
  if (/^[0-9]+$/.test(text)) return `${text.length} digits`;
  if (/^\s|\s$/.test(text)) return 'a value with blanks around it';
  if (/^[0-9]+\.[0-9]+$/.test(text)) return 'a number with a fraction';
  if (/^[+-]/.test(text)) return 'a number with a sign';
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text)) return 'a date in ISO form';
  return 'something else';
}

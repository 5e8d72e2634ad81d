/** The default distance of a timestamp from now, in either direction (§5.5). */
export const DEFAULT_TOLERANCE_S = 300;

const TIMESTAMP_FORM = /^[0-9]{1,12}$/;

/** Unix seconds of a timestamp header; undefined unless it is exactly 1 to 12 decimal digits (§5.2). @internal */
export function parseTimestamp(text: string): number | undefined {
  return TIMESTAMP_FORM.test(text) ? Number(text) : undefined;
}

/**
 * Formats a timestamp for a header. Throws a RangeError for a number outside the range of a header. @internal
 */
export function formatTimestamp(timestampS: number): string {
  const text = String(timestampS);
  if (!TIMESTAMP_FORM.test(text)) {
    throw new RangeError(
      `Expected timestampS in whole Unix seconds, 0 to 999999999999, got ${text}. For ` +
        'milliseconds, use Math.floor(ms / 1000).',
    );
  }
  return text;
}

/** Whole seconds of `now`; a fraction is dropped, as the reference receiver does. @internal */
export function wholeSeconds(nowS: number): number {
  if (!Number.isFinite(nowS)) throw new RangeError(`Expected nowS in Unix seconds, got ${nowS}.`);
  return Math.floor(nowS);
}

/** The tolerance; throws a RangeError unless it is a number of 0 or more. @internal */
export function checkedTolerance(toleranceS: number): number {
  if (!(toleranceS >= 0)) throw new RangeError(`Expected toleranceS of 0 or more, got ${toleranceS}.`);
  return toleranceS;
}

/** Describes a value other than Unix seconds for an error message. @internal */
export function describeTimestamp(text: string): string {
  if (/^[0-9]{13}$/.test(text)) return '13 digits, which looks like milliseconds';
  if (/^[0-9]+$/.test(text)) return `${text.length} digits`;
  if (/^\s|\s$/.test(text)) return 'a value with blanks around it';
  if (/^[0-9]+\.[0-9]+$/.test(text)) return 'a number with a fraction';
  if (/^[+-]/.test(text)) return 'a number with a sign';
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text)) return 'a date in ISO form';
  return 'something else';
}

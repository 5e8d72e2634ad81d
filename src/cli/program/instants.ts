import { parseInstant } from '../../contract/time.js';
import { usageError } from './errors.js';

/** Whole Unix seconds from seconds or an instant with a zone. */
export function unixSeconds(text: string, flag: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (/^\d{13}$/.test(text)) {
    throw usageError(
      `${flag} takes Unix seconds, got 13 digits, which looks like milliseconds.`,
      `Write ${flag} ${text.slice(0, -3)}.`,
    );
  }
  const ms = parseInstant(text);
  if (ms !== undefined) return Math.floor(ms / 1000);
  throw usageError(
    `${flag} takes Unix seconds or an instant with its zone; got ${text}.`,
    `Write ${flag} 1760000000 or ${flag} 2026-01-31T12:00:00Z.`,
  );
}

/** The current real time in whole Unix seconds. */
export function presentS(): number {
  return Math.floor(Date.now() / 1000);
}

import { parseInstant } from '../../contract/time.js';
import { usageError } from './errors.js';
import type { Options } from './io.js';

/** Whole Unix seconds of an option that takes seconds or an instant with a zone; undefined if not given. */
export function instantOption(options: Options, name: string): number | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (/^\d{13}$/.test(text)) {
    throw usageError(
      `--${name} takes Unix seconds, got 13 digits, which looks like milliseconds.`,
      `Write --${name} ${text.slice(0, -3)}.`,
    );
  }
  const ms = parseInstant(text);
  if (ms !== undefined) return Math.floor(ms / 1000);
  throw usageError(
    `--${name} takes Unix seconds or an instant with its zone; got ${text}.`,
    `Write --${name} 1760000000 or --${name} 2026-01-31T12:00:00Z.`,
  );
}

/** The current real time in whole Unix seconds. */
export function presentS(): number {
  return Math.floor(Date.now() / 1000);
}

import { usageError } from './errors.js';
import { durationOf } from './options.js';

/** A duration such as `30s`, as the control API takes it. */
export function durationOrUsage(what: string, text: string): string {
  return durationOf(text, what).text;
}

/** A whole number from 1 on. */
export function countOrUsage(what: string, text: string): string {
  if (/^[1-9]\d{0,8}$/.test(text)) return text;
  throw usageError(`${what} must be a whole number from 1 on; got ${text}.`);
}

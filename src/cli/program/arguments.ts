import { parseDuration } from '../../contract/time.js';
import { usageError } from './errors.js';

/** A duration such as `30s`, as the control API takes it. */
export function durationOrUsage(what: string, text: string): string {
  if (parseDuration(text) !== undefined) return text;
  throw usageError(`${what} must be a duration; got ${text}.`, 'Write 90s, 5m, 2h, 1d, or combined 1d12h.');
}

/** A whole number from 1 on. */
export function countOrUsage(what: string, text: string): string {
  if (/^[1-9]\d{0,8}$/.test(text)) return text;
  throw usageError(`${what} must be a whole number from 1 on; got ${text}.`);
}

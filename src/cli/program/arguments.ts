import { parseDuration } from '../../contract/time.js';
import { usageError } from './errors.js';
import type { Options } from './io.js';

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

/** The given options as a query; what is not given stays out of it. */
export function pageQuery(options: Options): Record<string, string | undefined> {
  return { limit: options.text('limit'), after: options.text('after'), before: options.text('before') };
}

/** The path of a control route, each part escaped, with the chosen application. */
export function pathFor(parts: readonly string[], options?: Options): string {
  const app = options?.text('app');
  const path = parts.map(encodeURIComponent).join('/');
  return app === undefined ? path : `${path}?${new URLSearchParams({ app }).toString()}`;
}

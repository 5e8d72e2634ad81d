import type { RunInProcess } from '../../../src/http/shared/response.js';

/** For routes that are only looked at: what they send goes nowhere. */
export const admitNone: RunInProcess = () => () => Promise.resolve();

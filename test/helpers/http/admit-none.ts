import type { RunInProcess } from '../../../src/http/operation/answer.js';

/** For routes that are only looked at: what they send goes nowhere. */
export const admitNone: RunInProcess = () => () => Promise.resolve();

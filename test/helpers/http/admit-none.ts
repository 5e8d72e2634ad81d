import type { Admit } from '../../../src/http/operation/answer.js';

/** For routes that are only looked at: what they send goes nowhere. */
export const admitNone: Admit = () => () => Promise.resolve();

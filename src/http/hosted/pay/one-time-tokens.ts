import { randomBytes } from 'node:crypto';
import { Recent } from '../../../sandbox/recent.js';

const TOKEN_BYTES = 16;
/** Each shown page has one; the oldest are forgotten. */
const MOST = 10_000;

/** Tokens of forms: each works once, for the charge whose page it was shown on. */
export class OneTimeTokens {
  readonly #states = new Recent<{ readonly chargeId: string; isUsed: boolean }>(MOST);

  issue(chargeId: string): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#states.set(token, { chargeId, isUsed: false });
    return token;
  }

  /** Uses a token up: `fresh` the first time, then `used`; `unknown` for one that this charge's page never showed. */
  use(token: string, chargeId: string): 'fresh' | 'used' | 'unknown' {
    const state = this.#states.get(token);
    if (state?.chargeId !== chargeId) return 'unknown';
    if (state.isUsed) return 'used';
    state.isUsed = true;
    return 'fresh';
  }
}

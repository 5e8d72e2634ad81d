import { shortenSessionIds } from '../../core/identity/session.js';

const WEBHOOK_SECRET = /whsec_[\w+/=]+/g;

/** A step did not come to what it should: why, in one or more lines, without the secrets that answers and paths may hold. */
export class StepFailure extends Error {
  readonly reasons: readonly string[];

  constructor(...reasons: readonly string[]) {
    const shown = reasons.map((reason) => shortenSessionIds(reason).replaceAll(WEBHOOK_SECRET, 'whsec_…'));
    super(shown.join('\n'));
    this.name = 'StepFailure';
    this.reasons = shown;
  }
}

import { CUSTOMER_TYPES } from '../../contract/enums.js';
import { SESSION_DECISIONS, SESSION_STATUSES } from '../../contract/transitions.js';
import * as is from '../../core/resources/values.js';
import { optional } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { oneOf } from '../../schema/values.js';

export const CREATED_SESSION = is.resource('Session', 'An identity-verification session (§2.7).', {
  sessionId: is.TEXT,
  customerType: oneOf(CUSTOMER_TYPES),
  status: oneOf(SESSION_STATUSES),
  url: is.ADDRESS,
  expiresAt: is.INSTANT,
});
export type CreatedSession = Infer<typeof CREATED_SESSION>;

export const SESSION_RESULT = is.resource(
  'SessionResult',
  'The result of a verification (§2.7); `euid` is present when it is approved.',
  {
    sessionId: is.TEXT,
    status: oneOf(SESSION_DECISIONS),
    euid: optional(is.EUID),
  },
);
export type SessionResult = Infer<typeof SESSION_RESULT>;

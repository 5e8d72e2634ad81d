import type { Call } from '../../../sandbox/call-log.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { EndedAttempt } from '../webhooks/attempts.js';
import { attemptView } from '../webhooks/attempts.js';
import { callView } from '../views.js';

export function callEntry(call: Call) {
  return { type: 'call', call: callView(call) } as const;
}

export function attemptEntry(sandbox: Sandbox, attempt: EndedAttempt) {
  return { type: 'attempt', ...attemptView(sandbox, attempt) } as const;
}

/** An entry of the log: a call to a door, or an attempt of a delivery. */
export type LogEntry = ReturnType<typeof callEntry> | ReturnType<typeof attemptEntry>;

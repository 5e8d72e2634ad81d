/** The parts of a sandbox that can be reset on their own. */
export const RESET_SCOPES = ['payments', 'identity', 'endpoints', 'faults', 'calls'] as const;
export type ResetScope = (typeof RESET_SCOPES)[number];

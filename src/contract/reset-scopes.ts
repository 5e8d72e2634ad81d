/** What can be started over while the rest stays. */
export const RESET_SCOPES = ['payments', 'identity', 'endpoints', 'faults', 'calls'] as const;
export type ResetScope = (typeof RESET_SCOPES)[number];

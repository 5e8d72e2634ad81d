/** The kinds of event that the service announces (§6). */
export const EVENT_TYPES = [
  'pix.settled',
  'pix.failed',
  'pix.expired',
  'withdrawal.settled',
  'withdrawal.failed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

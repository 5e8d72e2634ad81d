/** The descriptions of the operation groups. */
export const TAGS = {
  charges: 'PIX charges: requests to be paid.',
  withdrawals: 'Payouts to PIX keys.',
  transactions: 'What was credited to and debited from an account.',
  'webhook endpoints': 'URLs that are sent events, and their secrets.',
  deliveries: 'Events on their way to endpoints.',
  identity: 'Verification of a person or a company (KYC).',
  webhooks: 'What endpoints are sent.',
  sandbox: 'What the sandbox says of itself, and starting over.',
  state: 'Everything there is, as a file or as a named snapshot.',
  clock: 'Sandbox time.',
  endpoints: 'Webhook endpoints and listeners of all applications.',
  applications: 'Who calls the public API.',
  faults: 'What goes wrong on purpose.',
  events: 'What was announced, and announcing it again.',
  listeners: 'The connections of `listen`.',
  calls: 'What the integrator’s code sent.',
} as const;

export type Tag = keyof typeof TAGS;

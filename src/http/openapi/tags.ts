/** The descriptions of the operation groups. */
export const TAGS = {
  charges: 'PIX charges: requests to be paid.',
  withdrawals: 'Payouts to PIX keys.',
  transactions: 'What was credited to and debited from an account.',
  'webhook endpoints': 'URLs that receive events, and their secrets.',
  deliveries: 'Events on their way to endpoints.',
  identity: 'Verification of a person or a company (KYC).',
  webhooks: 'The messages that endpoints receive.',
  sandbox: 'The status of the sandbox, and resets.',
  state: 'The whole state, as a file or as a named snapshot.',
  clock: 'Sandbox time.',
  endpoints: 'Webhook endpoints and listeners of all applications.',
  applications: 'The callers of the public API.',
  faults: 'Deliberate failures.',
  events: 'What was sent, and sending it again.',
  listeners: 'The connections of `listen`.',
  scenarios: 'Steps with expectations: list, run, record.',
  calls: 'What the integrator’s code sent.',
} as const;

export type Tag = keyof typeof TAGS;

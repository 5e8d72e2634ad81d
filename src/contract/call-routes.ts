/** The routes of the doors that support faults on calls, with `:name` for a part that varies (§4). */
export const CALL_ROUTES = {
  api: [
    'POST /api/public/v1/pix',
    'GET /api/public/v1/withdrawals',
    'GET /api/public/v1/accounts/:id/transactions',
    'POST /api/public/v1/webhook-endpoints',
    'GET /api/public/v1/webhook-endpoints',
    'GET /api/public/v1/webhook-endpoints/:endpoint_id',
    'POST /api/public/v1/webhook-endpoints/:id/rotate-secret',
    'GET /api/public/v1/webhook-endpoints/:id/deliveries',
    'POST /api/public/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/retry',
  ],
  identity: ['POST /api/v1/kyc/sessions', 'GET /api/v1/kyc/sessions/:sessionId/result'],
} as const;

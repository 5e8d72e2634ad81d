import { expect, test } from 'vitest';
import { deliveryColumns, deliveryText } from '../../../../src/cli/commands/webhooks.js';
import { table } from '../../../../src/cli/terminal/text.js';
import type { DeliveryView } from '../../../../src/http/control/schema.js';
import { CALLED, fakeIo } from '../../../helpers/cli/cli-io.js';

const NOW_MS = Date.parse('2026-01-01T23:59:00Z');
const DELIVERY: DeliveryView = {
  id: 'f8b91e6e-611a-43a3-a812-1e72b6525268',
  event_id: `evt_${'0'.repeat(32)}`,
  event_type: 'withdrawal.settled',
  resource: { type: 'withdrawal', id: '849e0378-bb69-4963-9fcd-10e97bbc2ef9', code: 'payout-of-a-long-name' },
  status: 'DELIVERED',
  attempts: 8,
  last_attempt_at: '2026-01-01T00:01:00.000Z',
  last_response_status: null,
  last_error: 'CONNECTION_REFUSED',
  next_attempt_at: null,
  delivered_at: '2026-01-01T00:06:00.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
  endpoint_id: '849e0378-bb69-4963-9fcd-10e97bbc2ef9',
  endpoint_url: null,
  endpoint_name: 'http://localhost:3000/webhooks',
  attempt_limit: 8,
  in_flight: false,
  blocked_by: null,
  last_latency_ms: 2,
  target_url: null,
  own_secret: false,
  attempt_log: [],
  schedule: [],
};

test('80 columns show id, code, tries, last outcome and age of the widest delivery', () => {
  const { io } = fakeIo({ columns: 80 });
  const [titles = '', line = ''] = table(io, [DELIVERY], deliveryColumns(io, NOW_MS)).split('\n');
  expect(titles.split(/ +/)).toEqual(['ID', 'CODE', 'EVENT', 'STATUS', 'TRIES', 'LAST', 'AGE']);
  expect(line).toMatch(
    /^f8b91e6e…  payout-\S*…  withdrawal\.settled  DELIVERED  8\/8 {4}CONNECTIO\S*…  23h 59m$/,
  );
  expect(line.length).toBeLessThanOrEqual(80);
});

test('what is held says how to start its listener again', () => {
  const held = {
    ...DELIVERY,
    status: 'PENDING',
    blocked_by: 'away',
    endpoint_url: 'https://shop.listen.sandbox.localhost/',
    endpoint_name: 'listener → http://localhost:3000/webhooks',
  } as const;
  const { io } = fakeIo();
  expect(deliveryText(io, held, NOW_MS)).toContain(
    `\`${CALLED} listen --name shop --forward-to http://localhost:3000/webhooks\` again`,
  );
});

test('an answer that is no text is told by its length', () => {
  const attempt = {
    number: 1,
    started_at: '2026-01-01T00:00:00.000Z',
    response_status: 500,
    error: 'HTTP_STATUS',
    faults: [],
    response: { headers: [], body_base64: '/2E=', truncated: false },
  } as const;
  const { io } = fakeIo();
  expect(deliveryText(io, { ...DELIVERY, attempt_log: [attempt] }, NOW_MS)).toContain(
    '    | 2 bytes that are not UTF-8\n',
  );
});

import { describe, expect, test } from 'vitest';
import { describeEntry, formatDueItem } from '../../../src/console/model/sentences.js';
import { ENGLISH_TEXTS, PORTUGUESE_TEXTS } from '../../../src/console/words.js';
import { AGENDA_KINDS } from '../../../src/core/agenda.js';
import { CHARGE_STATUSES, SESSION_STATUSES, WITHDRAWAL_STATUSES } from '../../../src/contract/transitions.js';
import type { EntryView } from '../../../src/http/control/timeline.js';

const entry = (fields: Partial<EntryView>): EntryView => ({
  seq: 1,
  cause: null,
  by: 'console',
  at: '2026-01-31T12:00:00.000Z',
  real_at: null,
  id: null,
  kind: 'command',
  title: 'a title',
  ...fields,
});

test.each<readonly [sentence: string, fields: Partial<EntryView>]>([
  ['POST /pix', { kind: 'call', method: 'POST', path: '/api/public/v1/pix' }],
  ['GET /kyc/sessions', { kind: 'call', method: 'GET', path: '/api/v1/kyc/sessions' }],
  ['Pay charge order-7', { command: 'charge.settle', code: 'order-7' }],
  ['Trigger pix.settled order-7', { command: 'trigger', title: 'trigger pix.settled', code: 'order-7' }],
  ['a title', { command: 'another.command' }],
  ['Charge order-7 was paid', { kind: 'change', resource: 'charge', to: 'SETTLED', code: 'order-7' }],
  ['Session kyc_1… was approved', { kind: 'change', resource: 'session', to: 'approved', id: 'kyc_1…' }],
  [
    'Endpoint https://a.example disabled',
    { kind: 'change', resource: 'endpoint', to: 'disabled', target: 'https://a.example' },
  ],
  ['Listener localhost:3000 connected', { kind: 'listener', to: 'connected', target: 'localhost:3000' }],
  ['pix.settled → shop', { kind: 'delivery', event_type: 'pix.settled', target: 'shop' }],
  ['Fault reset fired', { kind: 'fault', faults: ['reset'] }],
  [
    'fault hold ended',
    { kind: 'fault', faults: ['hold'], to: 'ended', title: 'fault hold ended; nothing matched' },
  ],
  ['Start incident api-down', { kind: 'fault', command: 'incident.start', title: 'incident.start api-down' }],
  ['Fault slow fired on attempt 2', { kind: 'fault', faults: ['slow'], attempt: 2 }],
  ['Clock frozen', { kind: 'clock', rate: 0 }],
  ['Clock advanced to 31 Jan 2026 13:00:00', { kind: 'clock', moved_to: '2026-01-31T13:00:00.000Z' }],
  ['charge order-7 expires', { kind: 'clock', due: 'charge.expire', title: 'charge order-7 expires' }],
  ['Saved state before', { kind: 'state', to: 'saved', id: 'before' }],
])('describes an entry as "%s"', (sentence, fields) => {
  expect(describeEntry(entry(fields))).toBe(sentence);
});

describe('the sentences', () => {
  test.each([
    ['charge', CHARGE_STATUSES],
    ['withdrawal', WITHDRAWAL_STATUSES],
    ['session', SESSION_STATUSES],
  ] as const)('name each status of a %s in both languages', (resource, statuses) => {
    for (const { sentences } of [ENGLISH_TEXTS, PORTUGUESE_TEXTS]) {
      expect(Object.keys(sentences.changes[resource]).sort()).toEqual([...statuses].sort());
    }
  });

  test('name each kind of scheduled item', () => {
    for (const kind of AGENDA_KINDS) {
      expect(formatDueItem({ kind, title: 'session kyc_1… expires' })).toBe('session kyc_1… expires');
      expect(PORTUGUESE_TEXTS.sentences.due[kind]('attempt 2 of pix.settled to shop', 'x')).not.toBe('');
    }
  });
});

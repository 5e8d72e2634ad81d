import { expect, test } from 'vitest';
import type { FactOutcome } from '../../src/parity/probe.js';
import {
  createParityRecord,
  listOldFacts,
  listRecordedParts,
  type ParityRecord,
} from '../../src/parity/record.js';

const AGAINST = 'https://api.example';

function outcomeOf(id: FactOutcome['id'], result: FactOutcome['result'], value?: string): FactOutcome {
  return { id, outcome: 'confirmed', value, current: undefined, differences: [], reason: undefined, result };
}

const RESULT = { 'GET /withdrawals': { status: '200' } };
const record = (
  outcomes: readonly FactOutcome[],
  { day, earlier, against = AGAINST }: { day: string; earlier?: ParityRecord; against?: string },
) => createParityRecord(outcomes, { against, nowMs: Date.parse(`${day}T12:00:00Z`), earlier });

const first = record([outcomeOf('page.order', RESULT), outcomeOf('signature.encoding', {}, 'hex')], {
  day: '2026-01-01',
});

test('a later probe of the same server keeps the earlier facts with their dates', () => {
  const later = [outcomeOf('charge.lifetime', {}, '15m'), outcomeOf('signature.encoding', {})];
  const merged = record(later, { day: '2026-03-01', earlier: first });
  expect(Object.entries(merged.facts).map(([id, { observed, value }]) => [id, observed, value])).toEqual([
    ['charge.lifetime', '2026-03-01', '15m'],
    ['signature.encoding', '2026-01-01', 'hex'],
    ['page.order', '2026-01-01', undefined],
  ]);
  expect([...listRecordedParts(merged)]).toEqual(['reads', 'charges', 'refusals']);
  expect(listOldFacts(merged, 30 * 86_400_000, Date.parse('2026-03-01'))).toEqual([
    'signature.encoding',
    'page.order',
  ]);
});

test('a fact observed again replaces the earlier one', () => {
  const again = record([outcomeOf('page.order', { 'GET /other': { status: '404' } })], {
    day: '2026-03-01',
    earlier: first,
  });
  expect(again.facts['page.order']).toEqual({
    observed: '2026-03-01',
    matches: true,
    requests: ['GET /other'],
    result: { 'GET /other': { status: '404' } },
  });
});

test('a probe of another server replaces all facts', () => {
  const other = { day: '2026-03-01', earlier: first, against: 'https://other.example' };
  const replaced = record([outcomeOf('charge.lifetime', {}, '15m')], other);
  expect([replaced.against, Object.keys(replaced.facts)]).toEqual([
    'https://other.example',
    ['charge.lifetime'],
  ]);
});

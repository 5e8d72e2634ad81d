import { expect, test } from 'vitest';
import { Refusal } from '../../../src/contract/refusals.js';
import type { Entry } from '../../../src/sandbox/timeline/entry.js';
import { readFilter } from '../../../src/sandbox/timeline/filter.js';
import { thrownBy } from '../../helpers/thrown-by.js';

const NOW = 1_000_000;

function entry(fields: Partial<Entry>): Entry {
  return {
    seq: 1,
    cause: null,
    by: 'control',
    at: NOW,
    realAt: NOW,
    kind: 'call',
    id: 'req_1',
    title: '',
    facts: {},
    ...fields,
  };
}

const CALL = entry({
  title: 'POST /api/public/v1/pix 404',
  facts: { method: 'POST', path: '/api/public/v1/pix?x=1', status: 404, matched: false, error: 'NOT_FOUND' },
});
const ATTEMPT = entry({
  kind: 'attempt',
  id: 'd1.2',
  at: NOW - 120_000,
  title: 'attempt 2 of pix.settled',
  facts: {
    event_type: 'pix.settled',
    target: 'http://shop:3000/hook',
    status: 503,
    error: 'HTTP_STATUS',
    code: 'order-1',
    resource_id: 'charge-id',
    faults: ['duplicate'],
  },
});

test.each([
  ['', [CALL, ATTEMPT]],
  ['kind:attempt', [ATTEMPT]],
  ['-kind:attempt', [CALL]],
  ['status:4xx', [CALL]],
  ['status:503', [ATTEMPT]],
  ['method:post', [CALL]],
  ['path:/api/*', [CALL]],
  ['path:/api/public/v1/pix', [CALL]],
  ['type:pix.*', [ATTEMPT]],
  ['to:SHOP', [ATTEMPT]],
  ['is:failed', [CALL, ATTEMPT]],
  ['is:unmatched', [CALL]],
  ['is:faulted', [ATTEMPT]],
  ['charge:order-1', [ATTEMPT]],
  ['charge:charge-id', [ATTEMPT]],
  ['id:d1', [ATTEMPT]],
  ['by:control', [CALL, ATTEMPT]],
  ['since:1m', [CALL]],
  ['since:2m', [CALL, ATTEMPT]],
  ['not_found', [CALL]],
  ['"attempt 2"', [ATTEMPT]],
  ['-"attempt 2" is:failed', [CALL]],
  ['to:"shop:3000"', [ATTEMPT]],
  ['is:failed type:pix.settled -status:5xx', []],
])('%j finds matching entries', (q, expected) => {
  const passes = readFilter(q);
  expect([CALL, ATTEMPT].filter((one) => passes(one, NOW))).toEqual(expected);
});

const TOLD = {
  created: entry({ facts: { status: 399 } }),
  refused: entry({ facts: { status: 400 } }),
  open: entry({}),
  delivered: entry({ kind: 'delivery', facts: { to: 'DELIVERED' } }),
  dead: entry({ kind: 'delivery', facts: { to: 'FAILED' } }),
  failedCharge: entry({ kind: 'change', facts: { to: 'FAILED' } }),
  inTime: entry({ kind: 'attempt', facts: { status: 200, error: null } }),
};

test('failures are rejected requests, attempts with an error and dead letters', () => {
  const isFailed = readFilter('is:failed');
  const failed = Object.entries(TOLD).filter(([, one]) => isFailed(one, NOW));
  expect(failed.map(([name]) => name)).toEqual(['refused', 'dead']);
});

test.each([
  ['zzz:1', 'Unknown filter key "zzz".'],
  ['methid:GET', 'Unknown filter key "methid". Did you mean method?'],
  ['status:99', 'status: expects a status such as 404 or 5xx; got 99.'],
  ['since:soon', 'since: expects a duration such as 5m; got soon.'],
  ['is:failde', 'is: expects one of failed, unmatched, faulted; got failde. Did you mean failed?'],
  ['path:"/x', 'Unclosed quotation mark: "/x'],
])('reports for %j what was expected', (q, message) => {
  const { code, hint, message: said } = thrownBy(() => readFilter(q), Refusal);
  expect({ code, said, hint }).toEqual({
    code: 'INVALID_REQUEST',
    said: message,
    hint: 'For example: status:5xx method:POST path:/api/* type:pix.settled is:failed charge:order-1 since:5m -kind:clock "text"',
  });
});

test.each(['nope:1', 'status:99', 'status:5', 'kind:calls', 'is:failde', 'since:soon', 'path:"/x', '"'])(
  'rejects %j with an example',
  (q) => {
    expect(thrownBy(() => readFilter(q), Refusal).hint).toContain('For example: ');
  },
);

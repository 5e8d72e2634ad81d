import { expect, test } from 'vitest';
import { findHeader, repairHeaders } from '../../../src/signing/diagnosis/headers.js';
import { REQUEST_HEADER_NAMES } from '../../../src/signing/request.js';

const RIGHT = { 'x-timestamp': '1', 'x-nonce': 'n', 'x-signature': 's' };

test.each([
  ['X_Timestamp', 'x-timestamp'],
  ['HTTP_X_TIMESTAMP', 'x-timestamp'],
  ['timestamp', 'x-timestamp'],
  ['time', 'x-timestamp'],
  ['X-TS', 'x-timestamp'],
  ['X-Request-Timestamp', 'x-timestamp'],
  ['request-nonce', 'x-nonce'],
  ['webhook-signature', 'x-signature'],
  ['Svix-Signature', 'x-signature'],
  ['X-Hub-Signature-256', 'x-signature'],
  ['X-Hub-Signature-SHA256', 'x-signature'],
  ['pix-signature-sha-256', 'x-signature'],
  ['x-message-sig', 'x-signature'],
  ['msg-sign', 'x-signature'],
  ['event-hmac', 'x-signature'],
  ['x-signature-v1', 'x-signature'],
  ['x-signature-header', 'x-signature'],
  ['x-signature-value', 'x-signature'],
])('recognizes %s as %s', (name, full) => {
  const { [full as keyof typeof RIGHT]: value, ...others } = RIGHT;
  const { values, findings } = repairHeaders({ ...others, [name]: value }, undefined, REQUEST_HEADER_NAMES);
  expect(values).toEqual({ timestamp: '1', nonce: 'n', signature: 's' });
  expect(findings.map(({ id, did, expected, fix }) => [id, did, expected, fix])).toEqual([
    [
      'header-misnamed',
      `${full} was sent under the name "${name}".`,
      `The ${full} header.`,
      `Rename the header to ${full}.`,
    ],
  ]);
});

test.each(['x-signatures', 'my-signature', 'signature-sha512', 'request-id', 'x-http-signature-x'])(
  'does not recognize %s as a signature',
  (name) => {
    const { 'x-signature': value, ...others } = RIGHT;
    const { values, findings } = repairHeaders({ ...others, [name]: value }, undefined, REQUEST_HEADER_NAMES);
    expect(values).toEqual({ timestamp: '1', nonce: 'n' });
    expect(findings.map(({ id, did, fix }) => [id, did, fix])).toEqual([
      ['header-missing', 'x-signature is missing or empty.', 'Send x-signature with the message.'],
    ]);
  },
);

test('rejects an empty header as a substitute, and truncates a long name', () => {
  const { 'x-signature': _, ...others } = RIGHT;
  const empty = repairHeaders({ ...others, signature: '' }, undefined, REQUEST_HEADER_NAMES);
  expect(empty.findings.map(({ id }) => id)).toEqual(['header-missing']);
  const name = `x-${'-'.repeat(80)}signature`;
  const long = repairHeaders({ ...others, [name]: 's' }, undefined, REQUEST_HEADER_NAMES);
  expect(long.findings[0]?.did).toBe(`x-signature was sent under the name "${name.slice(0, 64)}".`);
});

test('counts a header with two equal values once', () => {
  const twice = repairHeaders({ ...RIGHT, 'x-nonce': 'n, n, n' }, undefined, REQUEST_HEADER_NAMES);
  expect(twice.values.nonce).toBe('n');
  expect(twice.findings.map(({ id, did, expected, fix }) => [id, did, expected, fix])).toEqual([
    ['header-repeated', 'x-nonce was sent twice.', 'Exactly one x-nonce header.', 'Set x-nonce only once.'],
  ]);
  const unlike = repairHeaders({ ...RIGHT, 'x-nonce': 'n, m' }, undefined, REQUEST_HEADER_NAMES);
  expect(unlike).toEqual({ values: { timestamp: '1', nonce: 'n, m', signature: 's' }, findings: [] });
});

test('searches headers in every form', () => {
  const flat = ['Host', 'a', 'Nonce', 'n', 'odd'];
  const record = { host: 'a', nonce: ['n', 'm'], none: undefined };
  expect(findHeader(flat, 'nonce')).toBe('n');
  expect(findHeader(record, 'nonce')).toBe('n, m');
  expect(findHeader(new Headers({ Nonce: 'n' }), 'nonce')).toBe('n');
  expect(findHeader({ get: () => 'n' }, 'nonce')).toBeUndefined();
});

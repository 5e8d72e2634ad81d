import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import type { Sent } from '../../../helpers/http/api-client.js';
import { API, chargeBody, TestApi } from '../../../helpers/http/api-client.js';

const KYC = '/api/v1/kyc';
const NOW = Date.parse('2026-01-01T12:00:00Z');
const NOW_S = NOW / 1000;

let cli: CliSandbox;
let api: TestApi;
let reader: { token: string; signingSecret: string };

beforeAll(async () => {
  cli = await cliSandbox({ realNow: () => NOW, assume: { 'charge.unknown_fields': 'refuse' } });
  api = new TestApi(cli.server, { nowMs: NOW });
  const { body } = await api.control('POST', 'apps', { name: 'reader', scopes: ['pix:read'] });
  reader = { token: String(body['token']), signingSecret: String(body['signing_secret']) };
});

afterAll(() => cli[Symbol.asyncDispose]());

/** What is sent in place of what would be right, and what `calls show` must say: the part, what came, what was expected. */
type Case = readonly [
  name: string,
  method: string,
  path: string,
  sent: Sent,
  said: readonly (string | RegExp)[],
];

const charge = (fields: object): Sent => ({ body: chargeBody({ code: randomUUID(), ...fields }) });
const signed = (sign: Exclude<Sent['sign'], undefined>): Sent => ({ ...charge({}), sign });
const header = (name: string, value: string | null): Sent => ({ ...charge({}), headers: { [name]: value } });
const post = (name: string, sent: Sent, ...said: (string | RegExp)[]): Case => [
  name,
  'POST',
  `${API}/pix`,
  sent,
  said,
];
const endpoint = (name: string, fields: object, ...said: (string | RegExp)[]): Case => [
  name,
  'POST',
  `${API}/webhook-endpoints`,
  { body: { url: 'https://shop.example/hook', events: ['pix.settled'], ...fields } },
  said,
];
const read = (name: string, query: string, ...said: (string | RegExp)[]): Case => [
  name,
  'GET',
  `${API}/${query}`,
  {},
  said,
];
const kyc = (name: string, sent: Sent, ...said: (string | RegExp)[]): Case => [
  name,
  'POST',
  `${KYC}/sessions`,
  {
    sign: false,
    ...sent,
    headers: {
      authorization: `Bearer ${cli?.server.sandbox.credentials.kycToken ?? ''}`,
      'idempotency-key': randomUUID(),
      ...sent.headers,
    },
  },
  said,
];

const CASES = (): Case[] => [
  post('amount as a number', charge({ amount: 49.9 }), 'amount: ', '"amount": 49.9', 'string'),
  post(
    'amount with a comma',
    charge({ amount: '49,90' }),
    'amount: ',
    '"amount": "49,90"',
    /such as "?\d+\.\d\d/,
  ),
  post('no amount', charge({ amount: undefined }), 'amount: Is required'),
  post('empty code', charge({ code: '' }), 'code: ', '"code": ""', /1 to 100/),
  post('unknown field', charge({ colour: 'blue' }), 'colour', '"colour": "blue"'),
  post('body cut off', { body: '{"code":"order-1",' }, 'not valid JSON', '{"code":"order-1",'),
  post('no body', {}, 'JSON body is required'),
  post('body not in UTF-8', { body: new Uint8Array([0xff, 0xfe]) }, 'not valid UTF-8', '//4='),
  post('body over the limit', { body: 'x'.repeat(300_000) }, '262144 bytes', '16384 of 300000 bytes'),
  post('no token', { ...charge({}), caller: null }, 'Authorization: Bearer <token> is required'),
  post(
    'wrong token',
    header('authorization', 'Bearer not-the-token-of-it'),
    'token is not known',
    'Bearer not-the-…it',
  ),
  post('wrong scope', { ...charge({}), caller: reader }, 'needs the scope', 'pix:read'),
  post('no signature', signed(false), 'x-signature', 'SIGNATURE_MISSING'),
  post(
    'stale timestamp',
    signed({ timestampS: NOW_S - 3600 }),
    `x-timestamp: ${NOW_S - 3600}`,
    '300 s',
    'TIMESTAMP_OUT_OF_RANGE',
  ),
  post('timestamp in milliseconds', header('x-timestamp', String(NOW)), `x-timestamp: ${NOW}`, /seconds/),
  post('short nonce', header('x-nonce', 'short'), 'x-nonce: short', '16'),
  post('wrong secret', signed({ secret: 'another-signing-secret' }), /x-signature: \S+/, 'SIGNATURE_INVALID'),
  post('signature of another body', signed({ body: '{}' }), /x-signature: \S+/, 'body'),
  [
    'operation that the contract lacks',
    'POST',
    `${API}/withdrawals`,
    charge({}),
    ['POST is not possible', 'GET', '(no route)'],
  ],
  post('two mistakes', charge({ amount: 1, payer_name: 7 }), 'amount: ', 'payer_name: ', '"amount": 1,'),
  endpoint('unknown event', { events: ['pix.paid'] }, 'events', '"pix.paid"', 'pix.settled'),
  read('bad limit', 'withdrawals?limit=1000', 'limit', 'limit=1000', '50'),
  [
    'unknown route with a body',
    'POST',
    '/pix',
    charge({ code: 'order-9' }),
    ['Did you mean', '"code": "order-9"', '(no route)'],
  ],
  ['wrong method', 'DELETE', `${API}/pix`, {}, ['METHOD_NOT_ALLOWED', 'allow: ', 'DELETE is not possible']],
  kyc(
    'unknown customer type',
    { body: { customerType: 'dog' } },
    'customerType',
    '"customerType": "dog"',
    'individual',
  ),
  kyc(
    'no idempotency key',
    { body: { customerType: 'individual' }, headers: { 'idempotency-key': null } },
    /idempotency-key/i,
  ),
];

test('`calls show` says what was wrong with each kind of wrong call', async () => {
  const cases = CASES();
  expect(cases.length).toBeGreaterThan(20);
  const missing: string[] = [];
  for (const [name, method, target, sent, said] of cases) {
    const { status, headers } = await api.send(method, target, sent);
    const id = headers.get('x-request-id') ?? '';
    const { stdout } = await cli.run('calls show', { args: [id] });
    const lost = said.filter((part) =>
      typeof part === 'string' ? !stdout.includes(part) : !part.test(stdout),
    );
    if (status < 400 || lost.length > 0) missing.push(`${name} (${status}): ${lost.join(' | ')}\n${stdout}`);
  }
  expect(missing.join('\n')).toBe('');
});

test('`calls show` says what was wrong with a nonce or a code that was used before', async () => {
  const first = signed({ nonce: 'used-twice-0000000' });
  expect((await api.call('POST', '/pix', first)).status).toBe(201);
  const again = await api.call('POST', '/pix', first);
  const { stdout } = await cli.run('calls show', { args: [again.headers.get('x-request-id') ?? ''] });
  expect(stdout).toContain('NONCE_REUSED');
  expect(stdout).toContain('x-nonce: used-twice-0000000');
  const code = { body: chargeBody({ code: 'order-twice' }) };
  expect((await api.call('POST', '/pix', code)).status).toBe(201);
  const other = await api.call('POST', '/pix', {
    body: chargeBody({ code: 'order-twice', amount: '11.00' }),
  });
  const shown = await cli.run('calls show', { args: [other.headers.get('x-request-id') ?? ''] });
  for (const part of ['CODE_REUSED', 'amount', '"amount": "11.00"']) expect(shown.stdout).toContain(part);
});

test('`calls list` names the fields of a refusal, and the payment of a success by its code', async () => {
  await api.call('POST', '/pix', charge({ amount: 1, code: 7 }));
  const { body, headers } = await api.call('POST', '/pix', charge({ code: 'order-listed' }));
  const { stdout } = await cli.run('calls list');
  const [, last, before] = stdout.split('\n');
  expect(last).toContain(` 201     POST    /api/public/v1/pix`);
  expect(last).toContain(' order-listed ');
  expect(last).not.toContain(body.id);
  const shown = await cli.run('calls show', { args: [headers.get('x-request-id') ?? ''] });
  expect(shown.stdout).toContain(`order-listed (${body.id})`);
  expect(before).toMatch(/INVALID_REQUEST: (?:code, amount|amount, code) /);
});

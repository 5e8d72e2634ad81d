import {
  array,
  assert,
  base64String,
  constantFrom,
  dictionary,
  letrec,
  oneof,
  property,
  string,
  tuple,
  uuid,
} from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeResponse } from '../../src/parity/normalize.js';
import { probeSecond } from './probe-helper.js';

const SEED = Date.now();

function textOf(alphabet: string, length: number) {
  const unit = constantFrom(...alphabet.split(''));
  return string({ unit, minLength: length, maxLength: length });
}
const hex = (length: number) => textOf('0123456789abcdef', length);
const digits = (length: number) => textOf('0123456789', length);
const name = constantFrom('Maria da Silva', 'João Souza', 'ACME Ltda.', "Ana D'Ávila");

/** Values that belong to people and applications. */
const DATA = oneof(
  name,
  uuid(),
  uuid().map((id) => id.toUpperCase()),
  uuid().map((id) => `parity-${id}`),
  hex(24).map((id) => `ch_${id}`),
  hex(40),
  base64String({ minLength: 24, maxLength: 44 })
    .filter((text) => /\d.*\d.*\d.*\d.*\d/.test(text))
    .map((key) => `whsec_${key}`),
  digits(11),
  digits(14).map((text) => text.replace(/(..)(...)(...)(....)/, '$1.$2.$3/$4-')),
  digits(9).map((text) => `+55119${text}`),
  digits(5).map((text) => `maria${text}@example.com`),
  tuple(digits(4), name).map(([time, who]) => `2026-01-31 10:${time.slice(0, 2)} paid by ${who}`),
  digits(8).map((text) => `https://user:${text}@shop.example/?token=${text}`),
  digits(10).map((text) => `00020126pix.example/${text}6304ABCD`),
  digits(6).map((text) => `E${text}`),
);
/** Names of fields: of the contract, of other teams, and data used as names. */
const KEYS = oneof(
  constantFrom(
    ...'id status type code error events metadata payer_name event_id last_error created_at expiresAt'.split(
      ' ',
    ),
    ...'amount fees rail message euid asset_code parity_new'.split(' '),
  ),
  DATA,
);
const VALUES = letrec<{ value: unknown; object: object }>((tie) => ({
  value: oneof(
    { depthSize: 'small' },
    DATA,
    digits(11).map(Number),
    tie('object'),
    array(tie('value'), { maxLength: 3 }),
  ),
  object: dictionary(KEYS, tie('value'), { maxKeys: 5 }),
}));

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return names.concat(Object.values(value).flatMap(textsIn));
}

test('records no value and no name from the data of a response', () => {
  const leaks = property(VALUES.object, constantFrom(200, 201, 404, 422), DATA, (body, status, header) => {
    const headers = {
      'content-type': `application/json; key=${header}`,
      'x-request-id': header,
      location: header,
    };
    const recorded = JSON.stringify(normalizeResponse({ status, headers, body }));
    const data = [header, ...textsIn(body)].filter((text) => /(?:\D*\d){5}|[ .@]/.test(text));
    const leaked = data.filter((text) => recorded.toLowerCase().includes(text.toLowerCase()));
    expect({ leaked, recorded }).toEqual({ leaked: [], recorded });
  });
  assert(leaks, { seed: SEED, numRuns: 500 });
});

test('shows names of fields, but not ids and people used as names', () => {
  const accounts = {
    'a83dd6c3-6641-4d68-b0e7-f0c631fb2a44': 1,
    'maria@example.com': 2,
    'João Souza': 3,
    ch_123456: 4,
  };
  const body = {
    accounts,
    'x-trace_id': 'x',
    metadata: { maria: 'x' },
    tags: ['Maria'],
    events: ['pix.settled'],
  };
  expect(normalizeResponse({ status: 200, headers: {}, body })).toEqual({
    status: '200',
    'header content-type': 'absent',
    body: 'object',
    'body.accounts': 'object',
    'body.accounts.*': 'integer',
    'body.x-trace_id': 'id of text',
    'body.metadata': 'object',
    'body.tags': 'list',
    'body.tags[]': 'text',
    'body.events': 'list',
    'body.events[]': '"pix.settled"',
  });
});

test('records neither credentials nor values of any response of a probe', async () => {
  const seen: string[] = [];
  const { observations } = await probeSecond({}, {}, ['charges', 'sessions'], {
    prepare: async (control) => {
      const body = {
        payer_name: 'Maria da Silva',
        payer_document: '52998224725',
        metadata: { 'cart 17': 'blue shoes' },
      };
      const { id } = await control.post('charges', { body });
      await control.post('charges/:id/settle', { id });
      await control.post('withdrawals', { body: { pix_key: 'maria@example.com' } });
    },
    mutate: async (response, request) => {
      seen.push(
        ...Object.values(Object.fromEntries(request.headers)),
        ...textsIn(
          await request
            .clone()
            .json()
            .catch(() => null),
        ),
      );
      seen.push(
        ...textsIn(
          await response
            .clone()
            .json()
            .catch(() => null),
        ),
      );
      return response;
    },
  });
  const data = new Set(seen.filter((text) => /(?:\D*\d){5}|[ @]/.test(text) && !/^\d+\.\d\d$/.test(text)));
  expect(data).toContain('maria@example.com');
  const recorded = JSON.stringify(Object.values(observations.requests).map(({ tokens }) => tokens));
  expect(Array.from(data).filter((text) => recorded.includes(text))).toEqual([]);
});

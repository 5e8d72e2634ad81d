import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProbePart } from '../../src/parity/facts.js';
import { createObservations } from '../../src/parity/observer.js';
import {
  createCounters,
  OtherImplementation,
  type ProbeCounters,
} from '../../src/parity/other-implementation.js';
import * as probe from '../../src/parity/probe.js';
import { createTime, textsOf } from './probe-helper.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const WHY = 'There is no python3 here.';

/** Starts the server; `using` ends it. */
async function startOther() {
  const child = spawn('python3', [join(import.meta.dirname, 'other_server.py')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: `http://127.0.0.1:${port.toString().trim()}`,
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

/** Counters without limits, so that one run asks every question. */
const UNLIMITED: ProbeCounters = {
  ...createCounters(),
  get requests() {
    return 2;
  },
  set requests(_) {},
  get refusedSignatures() {
    return 0;
  },
  set refusedSignatures(_) {},
};

/** Probes the server in virtual time. */
async function probeOther(counters: ProbeCounters, tokens: readonly [string, ...string[]]) {
  using server = await startOther();
  const time = createTime(Date.UTC(2026, 1, 1));
  const scope = {
    parts: new Set<ProbePart>(['reads', 'refusals', 'charges']),
    hasIdentity: false,
    tokens: tokens.length,
  };
  const observations = createObservations();
  const other = new OtherImplementation({
    urls: { payments: server.url, identity: undefined },
    credentials: {
      tokens,
      signingSecret: 'another-signing-secret',
      accountId: '5f0c2f0e-8a51-4be3-9d3c-6f2b1f6f4d10',
      kycToken: undefined,
    },
    counters,
    isTest: false,
    signal: new AbortController().signal,
    time,
    fetch: (url, { headers, ...init }) => {
      const clock = { 'x-test-clock': String(time.now()) };
      return fetch(url, { ...init, headers: { ...(headers as Record<string, string>), ...clock } });
    },
  });
  await probe.questionImplementation(other, observations, scope);
  const { values, unknown } = probe.inferFrom(observations);
  const sandbox = await probe.questionSandbox(values, scope, createObservations());
  const compared = probe.compareAll(sandbox, observations);
  const outcomes = probe.judgeFacts({ current: textsOf({}), values, compared, unknown }, scope.parts);
  return { outcomes, values };
}

/** Settings with which the sandbox behaves like the server. */
const SETTINGS = {
  'charge.lifetime': '1h',
  'charge.unknown_fields': 'refuse',
  'charge.qr_image': 'omit',
  'fee.provider_rate': '1.2',
  'fee.provider_min': '0.30',
  'fee.partner_rate': '0.5',
  'transactions.scope': 'pix:read',
  'signature.encoding': 'base64',
  'signature.digest_encoding': 'base64',
  'signature.path': 'target',
  'signature.tolerance': '1m30s',
  'endpoint.signature': 'required',
};

/** Kinds and places of all differences by fact. */
const DIFFERENCES = {
  'charge.unknown_fields': ['code', 'status'],
  'fee.provider_max': ['relation of fees of a large charge'],
  'charge.statuses': ['value body.status'],
  'withdrawal.statuses': ['value body.data[].status'],
  'withdrawal.destination': [
    'value body.data[].destination.pix_key_type',
    'value body.data[].destination.rail',
  ],
  'withdrawal.fee': ['relation of fees below 500.00', 'relation of fees from 500.00'],
  'transaction.fields': ['added field body.data[].booked_at', 'value body.data[].status'],
  asset_code: ['value body.asset_code'],
  'amount.format': [
    'code',
    'status',
    'type body.data[].amount',
    'type body.data[].fee',
    'type body.data[].net_amount',
    'type body.fees.net_amount',
    'type body.fees.partner_fee',
    'type body.fees.provider_fee',
  ],
  'timestamp.format': [
    'missing field body.data[].created_at',
    'type body.created_at',
    'type body.data[].created_at',
    'type body.data[].updated_at',
    'type body.expires_at',
    'type body.updated_at',
  ],
  'id.format': ['type body.data[].id', 'type body.id'],
  'charge.fields': ['code', 'status', 'type body.amount', 'type body.payer_document'],
  'charge.idempotency': ['code', 'status'],
  'charge.qr_code': ['type body.qr_code'],
  'page.order': [
    'code',
    'missing field body.paging.after',
    'missing field body.paging.before',
    'order',
    'status',
  ],
  'endpoint.create': ['code', 'status'],
  'endpoint.list': ['missing field body.data[].description'],
  'endpoint.statuses': ['missing field body.description', 'value body.data[].status', 'value body.status'],
  'delivery.list': ['type body'],
  'request.empty_body': ['code', 'relation of empty body'],
  'nonce.lifetime': ['code'],
  'error.body': [
    'added field body.code',
    'added field body.message',
    'code',
    'header x-request-id',
    'missing field body.error',
  ],
};

test('describes every difference of another team’s server', async ({ skip }) => {
  skip(!hasPython, WHY);
  const { outcomes, values } = await probeOther(UNLIMITED, ['full-token', 'no-pix-token', 'read-token']);
  expect(values).toEqual(SETTINGS);
  const differing = outcomes.filter(({ outcome }) => outcome === 'differs');
  const named = differing.map(({ id, differences }) => {
    const texts = differences.map(({ kind, place }) => (place.startsWith(kind) ? place : `${kind} ${place}`));
    return [id, Array.from(new Set(texts)).toSorted()];
  });
  expect(Object.fromEntries(named)).toEqual(DIFFERENCES);
  expect(outcomes.find(({ id }) => id === 'fee.provider_max')?.reason).toBe('It is 12000.00 or more.');
});

test('infers no wrong setting of another team’s server within the limits of a probe', async ({ skip }) => {
  skip(!hasPython, WHY);
  const { values } = await probeOther(createCounters(), ['full-token']);
  expect({ ...SETTINGS, ...values }).toEqual(SETTINGS);
  // Five refused schemes can leave too few requests for a tolerance that is not a common one.
  const missing = Object.keys(SETTINGS).filter(
    (id) => values[id] === undefined && id !== 'signature.tolerance',
  );
  expect(missing).toEqual(['transactions.scope']);
});

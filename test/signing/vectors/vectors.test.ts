import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type RequestScheme,
  SecretFormatError,
  verifyRequest,
  verifyWebhook,
} from '../../../src/signing/index.js';
import type { RequestVector, WebhookVector } from '../../helpers/signing/vectors.js';
import { allRequestVectors, allWebhookVectors, VECTORS_FOLDER } from '../../helpers/signing/vectors.js';

const WEBHOOKS = allWebhookVectors();
const REQUESTS = allRequestVectors();
const COUNT = WEBHOOKS.length + REQUESTS.length;

test('there are many vectors, each with a unique name', () => {
  expect(COUNT).toBeGreaterThan(500);
  expect(new Set(WEBHOOKS.map(({ name }) => name)).size).toBe(WEBHOOKS.length);
  expect(new Set(REQUESTS.map(({ name }) => name)).size).toBe(REQUESTS.length);
});

const bodyOf = ({ body_base64 }: { readonly body_base64: string }) => Buffer.from(body_base64, 'base64');

/** The verdict on a webhook, in the words of its vector. */
function judgeWebhook(vector: WebhookVector) {
  try {
    const { headers, secrets, now_s: nowS, tolerance_s: toleranceS } = vector;
    const verdict = verifyWebhook({ body: bodyOf(vector), headers, secrets, nowS, toleranceS });
    if (!verdict.ok) return { cause: verdict.cause };
    return { cause: null, secret_index: verdict.secretIndex, signature_index: verdict.signatureIndex };
  } catch (error) {
    if (error instanceof SecretFormatError) return { cause: 'invalid_secret' };
    throw error;
  }
}

function judgeRequest(vector: RequestVector) {
  const { headers, secret, method, target, now_s: nowS, tolerance_s: toleranceS } = vector;
  const { signature_encoding: signatureEncoding, digest_encoding: digestEncoding } = vector.scheme;
  const scheme = { signatureEncoding, digestEncoding, pathForm: vector.scheme.path_form } as RequestScheme;
  const body = bodyOf(vector);
  const verdict = verifyRequest({ headers, secret, method, target, nowS, toleranceS, scheme, body });
  return { cause: verdict.ok ? null : verdict.cause };
}

test.each(WEBHOOKS.map((vector) => [vector.name, vector] as const))(
  'webhook %s has the expected verdict',
  (_name, vector) => {
    const { cause, secret_index, signature_index } = vector;
    expect(judgeWebhook(vector)).toEqual({ cause, secret_index, signature_index });
    expect(vector.verdict).toBe(cause === null ? 'accept' : 'refuse');
  },
);

test.each(REQUESTS.map((vector) => [vector.name, vector] as const))(
  'request %s has the expected verdict',
  (_name, vector) => {
    expect(judgeRequest(vector)).toEqual({ cause: vector.cause });
    expect(vector.verdict).toBe(vector.cause === null ? 'accept' : 'refuse');
  },
);

describe('third-party libraries', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['npm standardwebhooks', StandardWebhook],
    ['npm svix', SvixWebhook],
  ])('%s fails exactly on the vectors marked for it', (name, Library) => {
    const accepts = (vector: WebhookVector) => {
      vi.setSystemTime(vector.now_s * 1000);
      return vector.secrets.some((secret) => {
        try {
          new Library(secret).verify(bodyOf(vector), { ...vector.headers });
          return true;
        } catch {
          return false;
        }
      });
    };
    const comparable = WEBHOOKS.filter(({ tolerance_s }) => tolerance_s === 300);
    const otherwise = comparable.filter((vector) => {
      const isWrong = accepts(vector) !== (vector.verdict === 'accept');
      return isWrong !== (vector.errs ?? []).includes(name);
    });
    expect(otherwise.map((vector) => vector.name)).toEqual([]);
  });
});

const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });

test.skipIf(python.status !== 0)('Python reaches the same verdicts', () => {
  const script = join(import.meta.dirname, 'check_vectors.py');
  const { stdout, stderr } = spawnSync('python3', [script, VECTORS_FOLDER], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual([`${COUNT} vectors, 0 decided otherwise\n`, '']);
});

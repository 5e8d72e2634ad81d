import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  diagnoseRequest,
  diagnoseWebhook,
  SecretFormatError,
  verifyRequest,
  verifyWebhook,
} from '../../../src/signing/index.js';
import {
  credentialsBeside,
  OTHER_APPLICATION_SECRET,
  OTHER_WEBHOOK_SECRET,
  PREVIOUS_WEBHOOK_SECRET,
  REQUEST_SECRET,
  WEBHOOK_SECRET,
} from '../diagnosis/sender.js';
import { OFFICIAL_LIBRARIES } from './official-libraries.js';
import { acceptedRequests, mistakenRequests, refusedRequests } from './request-vectors.js';
import { bodyBytes, fileText, type RequestVector, type WebhookVector } from './vector.js';
import { disputedWebhooks } from './disputed-webhooks.js';
import { acceptedWebhooks, mistakenWebhooks, refusedWebhooks } from './webhook-vectors.js';

const FOLDER = join(import.meta.dirname, '../../../fixtures/signatures');

const WEBHOOK_FILES = {
  'webhooks-accepted.json': acceptedWebhooks(),
  'webhooks-refused.json': refusedWebhooks(),
  'webhooks-mistakes.json': mistakenWebhooks(),
  'webhooks-libraries.json': disputedWebhooks(),
};
const REQUEST_FILES = {
  'requests-accepted.json': acceptedRequests(),
  'requests-refused.json': refusedRequests(),
  'requests-mistakes.json': mistakenRequests(),
};
const WEBHOOKS = Object.values(WEBHOOK_FILES).flat();
const REQUESTS = Object.values(REQUEST_FILES).flat();

describe('the committed files', () => {
  test.each(Object.entries({ ...WEBHOOK_FILES, ...REQUEST_FILES }))(
    '%s holds what the generator makes',
    async (file, vectors) => {
      await expect(fileText(vectors)).toMatchFileSnapshot(join(FOLDER, file));
    },
  );

  test('hold at least 150 vectors, each with a name of its own', () => {
    expect(WEBHOOKS.length + REQUESTS.length).toBeGreaterThanOrEqual(150);
    for (const vectors of Object.values({ ...WEBHOOK_FILES, ...REQUEST_FILES })) {
      expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    }
  });
});

function webhookCause(vector: WebhookVector): string | null {
  try {
    const { headers, secrets, now_s: nowS, tolerance_s: toleranceS } = vector;
    const verdict = verifyWebhook({ body: bodyBytes(vector), headers, secrets, nowS, toleranceS });
    if (!verdict.ok) return verdict.cause;
    expect([verdict.secretIndex, verdict.signatureIndex]).toEqual([
      vector.secret_index,
      vector.signature_index,
    ]);
    return null;
  } catch (error) {
    if (error instanceof SecretFormatError) return 'invalid_secret';
    throw error;
  }
}

function requestOf(vector: RequestVector) {
  const { headers, secret, method, target, now_s: nowS, tolerance_s: toleranceS } = vector;
  const { signature_encoding, digest_encoding, path_form } = vector.scheme;
  const scheme = {
    signatureEncoding: signature_encoding === 'hex' ? 'hex' : 'base64',
    digestEncoding: digest_encoding === 'hex' ? 'hex' : 'base64',
    pathForm: path_form === 'path' ? 'path' : 'target',
  } as const;
  return { headers, secret, method, target, nowS, toleranceS, scheme, body: bodyBytes(vector) };
}

describe('our own verdict', () => {
  test.each(WEBHOOKS.map((vector) => [vector.name, vector] as const))('webhook: %s', (_name, vector) => {
    const cause = webhookCause(vector);
    expect(cause).toBe(vector.cause);
    expect(cause === null ? 'accept' : 'refuse').toBe(vector.verdict);
  });

  test.each(REQUESTS.map((vector) => [vector.name, vector] as const))('request: %s', (_name, vector) => {
    const verdict = verifyRequest(requestOf(vector));
    expect(verdict.ok ? null : verdict.cause).toBe(vector.cause);
    expect(verdict.ok ? 'accept' : 'refuse').toBe(vector.verdict);
  });

  test('names the mistake of each vector that was made with one', () => {
    const secretsAround = [
      { secret: PREVIOUS_WEBHOOK_SECRET, note: 'previous' as const },
      { secret: OTHER_WEBHOOK_SECRET, note: 'other' as const },
      ...credentialsBeside(WEBHOOK_SECRET),
    ];
    const otherSecrets = [
      { name: 'another', secret: OTHER_APPLICATION_SECRET },
      ...credentialsBeside(REQUEST_SECRET),
    ];
    const named = [
      ...mistakenWebhooks().map((vector) => {
        const secrets = [...vector.secrets.map((secret) => ({ secret })), ...secretsAround];
        return {
          vector,
          findings: diagnoseWebhook(
            { headers: vector.headers, body: bodyBytes(vector) },
            { secrets, nowS: vector.now_s },
          ),
        };
      }),
      ...mistakenRequests().map((vector) => ({
        vector,
        findings: diagnoseRequest(requestOf(vector), { ...requestOf(vector), otherSecrets }),
      })),
    ];
    const missed = named.filter(
      ({ vector, findings }) =>
        !findings.some(({ id, alike }) => [id, ...alike].includes(vector.mistake ?? '')),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(missed.map(({ vector }) => vector.name)).toEqual([]);
  });
});

describe('the verdict of other libraries', () => {
  const libraries = {
    'npm standardwebhooks': onNpm(StandardWebhook),
    'npm svix': onNpm(SvixWebhook),
    ...OFFICIAL_LIBRARIES,
  };

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function onNpm(Library: typeof StandardWebhook | typeof SvixWebhook): (vector: WebhookVector) => boolean {
    return (vector) => {
      vi.setSystemTime(vector.now_s * 1000);
      return vector.secrets.some((secret) => {
        try {
          new Library(secret).verify(bodyBytes(vector), { ...vector.headers });
          return true;
        } catch {
          return false;
        }
      });
    };
  }

  const comparable = WEBHOOKS.filter(({ tolerance_s }) => tolerance_s === 300);
  const agreed = comparable.filter((vector) => vector.class === 'agreed');
  const disputed = comparable.filter((vector) => vector.class !== 'agreed');

  test('is the contract’s on many messages, and another on many', () => {
    const count = (vectors: readonly WebhookVector[], key: 'verdict' | 'class', value: string) =>
      vectors.filter((vector) => vector[key] === value).length;
    expect(count(agreed, 'verdict', 'accept')).toBeGreaterThanOrEqual(50);
    expect(count(disputed, 'class', 'library_wrongly_accepts')).toBeGreaterThan(10);
    expect(count(disputed, 'class', 'library_wrongly_refuses')).toBeGreaterThan(10);
    expect(disputed.filter(({ errs = [] }) => errs.length === 0)).toEqual([]);
  });

  test.each(Object.entries(libraries))(
    '%s errs on the vectors that say so, and on no others',
    (name, accepts) => {
      const otherwise = comparable.filter((vector) => {
        const isWrong = accepts(vector) !== (vector.verdict === 'accept');
        return isWrong !== (vector.errs ?? []).includes(name);
      });
      expect(otherwise.map((vector) => vector.name)).toEqual([]);
    },
  );
});

describe('another language', () => {
  const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  const present = python.status === 0;

  test.skipIf(!present)(
    `decides alike: ${present ? python.stdout.trim() : 'python3 is not on this machine, so this is not checked'}`,
    () => {
      const checked = spawnSync('python3', [join(import.meta.dirname, 'check_vectors.py'), FOLDER], {
        encoding: 'utf8',
      });
      expect(checked.stderr).toBe('');
      expect(checked.stdout).toBe(`${WEBHOOKS.length + REQUESTS.length} vectors, 0 decided otherwise\n`);
    },
  );
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../fixtures/signatures');
const WEBHOOKS = ['webhooks-accepted', 'webhooks-refused', 'webhooks-mistakes', 'webhooks-libraries'];

interface VectorFile<Vector> {
  readonly vectors: readonly (Vector & { readonly body?: string; readonly body_base64?: string })[];
}

export interface WebhookVector {
  readonly name: string;
  readonly now_s: number;
  readonly tolerance_s: number;
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body_base64: string;
  readonly verdict: 'accept' | 'refuse';
  readonly cause: string | null;
}

export interface RequestVector {
  readonly name: string;
  readonly secret: string;
  readonly scheme: Readonly<Record<string, string>>;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body_base64: string;
}

function read<Vector>(name: string) {
  const { vectors } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as VectorFile<Vector>;
  return vectors.map((vector) => {
    const { body = '', body_base64 = Buffer.from(body).toString('base64') } = vector;
    return Object.assign(vector, { body_base64 });
  });
}

/** The published webhooks whose secrets are ones: a receiver is set up with its secret once, and need not judge it. */
export function webhookVectors(): readonly WebhookVector[] {
  return WEBHOOKS.flatMap((name) => read<WebhookVector>(name)).filter(
    ({ cause }) => cause !== 'invalid_secret',
  );
}

/** The published requests that are right. */
export function acceptedRequestVectors(): readonly RequestVector[] {
  return read<RequestVector>('requests-accepted');
}

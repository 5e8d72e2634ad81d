// The published vectors of fixtures/signatures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const VECTORS_FOLDER = join(import.meta.dirname, '../../../fixtures/signatures');
export const WEBHOOK_FILES = [
  'webhooks-accepted',
  'webhooks-refused',
  'webhooks-mistakes',
  'webhooks-libraries',
] as const;
export const REQUEST_FILES = ['requests-accepted', 'requests-refused', 'requests-mistakes'] as const;

interface Vector {
  readonly name: string;
  readonly now_s: number;
  readonly tolerance_s: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In the files also as the text `body`, where it is plain UTF-8. */
  readonly body_base64: string;
  readonly verdict: 'accept' | 'refuse';
  readonly cause: string | null;
  readonly mistake?: string;
}

export interface WebhookVector extends Vector {
  readonly secrets: readonly string[];
  readonly secret_index?: number;
  readonly signature_index?: number;
  readonly class: 'agreed' | 'library_wrongly_accepts' | 'library_wrongly_refuses';
  readonly errs?: readonly string[];
}

export interface RequestVector extends Vector {
  readonly secret: string;
  readonly scheme: Readonly<Record<'signature_encoding' | 'digest_encoding' | 'path_form', string>>;
  readonly method: string;
  readonly target: string;
}

interface StoredBody {
  readonly body?: string;
  readonly body_base64?: string;
}

function read<Of extends Vector>(name: string): Of[] {
  const text = readFileSync(join(VECTORS_FOLDER, `${name}.json`), 'utf8');
  const { vectors } = JSON.parse(text) as { readonly vectors: readonly (Of & StoredBody)[] };
  return vectors.map((vector) => {
    const { body, body_base64: encoded }: StoredBody = vector;
    const body_base64 = encoded ?? Buffer.from(body ?? '').toString('base64');
    return Object.assign(vector, { body_base64 });
  });
}

export const allWebhookVectors = (): WebhookVector[] => WEBHOOK_FILES.flatMap(read<WebhookVector>);
export const allRequestVectors = (): RequestVector[] => REQUEST_FILES.flatMap(read<RequestVector>);

/** The published webhooks whose secrets are ones: a receiver is set up with its secret once, and need not judge it. */
export function webhookVectors(): readonly WebhookVector[] {
  return allWebhookVectors().filter(({ cause }) => cause !== 'invalid_secret');
}

/** The published requests that are right. */
export function acceptedRequestVectors(): readonly RequestVector[] {
  return read<RequestVector>('requests-accepted');
}

import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../../contract/limits.js';
import { Refusal } from '../../contract/refusals.js';
import type { DoorContext } from '../operation/answer.js';
import { readBody } from '../operation/body.js';

/** The fields of a form, trimmed; one that was not sent is empty. */
export interface Form {
  readonly get: (name: string) => string;
}

const FORM_TYPE = /^application\/x-www-form-urlencoded *(?:;|$)/i;

/** Reads a form post. Refuses other media types, bodies over the limit and invalid UTF-8. */
export async function readForm(c: DoorContext): Promise<Form> {
  if (!FORM_TYPE.test(c.req.header('content-type') ?? '')) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'A form must be application/x-www-form-urlencoded.');
  }
  const body = await readBody(c, LIMITS.bodyBytes);
  if (!isUtf8(body)) throw new Refusal('INVALID_REQUEST', 'The form is not valid UTF-8.');
  const fields = new URLSearchParams(body.toString('utf8'));
  return { get: (name) => (fields.get(name) ?? '').trim() };
}

import { type JsonBody, MAX_REWRITTEN_BYTES } from './json-forms.js';
import { type Mistake, mistake, type Variant } from './mistake.js';

/** The fix for a signed body that is not the sent one. */
export const SIGN_THE_BYTES =
  'Use the bytes on the wire: serialise once and sign what you send; verify what arrives before you parse it.';

export const EMPTY = new Uint8Array();

/** Variants of the body: texts in UTF-8, without undefined ones. */
export function bodies(...values: readonly (string | Uint8Array | undefined)[]): Variant[] {
  return values
    .filter((value) => value !== undefined)
    .map((value) => ({ change: { body: typeof value === 'string' ? Buffer.from(value) : value } }));
}

/** A mistake that is only possible with a JSON body. */
export function json(
  id: string,
  did: string,
  forms: (body: JsonBody) => readonly (string | undefined)[],
  fix = SIGN_THE_BYTES,
): Mistake {
  return mistake(id, did, fix, ({ right, json }) => (json ? otherBodies(right.body, forms(json)) : []));
}

/** A mistake that is possible with any body that is short enough to rewrite. */
export function bytes(
  id: string,
  did: string,
  forms: (body: Buffer) => readonly (string | Uint8Array)[],
  fix = SIGN_THE_BYTES,
): Mistake {
  return mistake(id, did, fix, ({ right: { body } }) =>
    body.length > 0 && body.length <= MAX_REWRITTEN_BYTES ? otherBodies(body, forms(Buffer.from(body))) : [],
  );
}

/** The same for a body in any character set, read as one character for each byte. */
export function text(id: string, did: string, forms: (body: string) => readonly string[]): Mistake {
  return bytes(id, did, (sent) => {
    const body = sent.toString('latin1');
    const mark = '\u00EF\u00BB\u00BF';
    return forms(body.startsWith(mark) ? `\uFEFF${body.slice(3)}` : body).map((form) =>
      Buffer.from(form.replace('\uFEFF', mark), 'latin1'),
    );
  });
}

/** Each form once, without the body itself. */
function otherBodies(body: Uint8Array, forms: readonly (string | Uint8Array | undefined)[]): Variant[] {
  const seen = new Set([Buffer.from(body).toString('latin1')]);
  return bodies(...forms).filter(({ change }) => {
    const form = Buffer.from(change.body ?? EMPTY).toString('latin1');
    return !seen.has(form) && seen.add(form);
  });
}

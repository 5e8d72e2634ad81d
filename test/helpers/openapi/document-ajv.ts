import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Document } from './openapi-documents.js';

/** Compiles schemas of documents, which refer to them as `NAME.json#/…`. */
export function documentAjv(documents: Readonly<Record<string, Document>>): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    allErrors: true,
    validateSchema: false,
    // Optimizing a schema takes as long as compiling it, and each is used a few times.
    code: { optimize: false },
  });
  for (const [name, document] of Object.entries(documents)) ajv.addSchema(document, `${name}.json`);
  return ajv;
}

import type { FieldReader } from '../../core/field-reader.js';
import { LIMITS } from '../../core/limits.js';

/** Whose: the application of this id or name. Without it the default one, or any for what exists already. */
export function readOfApp(fields: FieldReader) {
  return { app: fields.optionalText('app', LIMITS.nameLength) };
}

export type OfApp = ReturnType<typeof readOfApp>;

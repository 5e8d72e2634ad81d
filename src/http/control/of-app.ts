import type { FieldReader } from '../../core/input/field-reader.js';
import { LIMITS } from '../../contract/limits.js';

/** Whose: the application of this id or name. Without it the default one, or any for what exists already. */
export function readOfApp(fields: FieldReader) {
  return { app: fields.optionalText('app', LIMITS.nameLength) };
}

export type OfApp = ReturnType<typeof readOfApp>;

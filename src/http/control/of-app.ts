import { NAME } from '../../core/input/text-kinds.js';
import { optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';

/** Whose: the application of this id or name. Without it the default one, or any for what exists already. */
export const OF_APP = object('a query', { app: optional(NAME) });

export type OfApp = Infer<typeof OF_APP>;

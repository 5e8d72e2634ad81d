import { NAME } from '../../core/input/text-kinds.js';
import { optional } from '../../schema/fields.js';
import { object } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';

/** The id or name of an application. By default, the default application, or any for an existing resource. */
export const OF_APP = object('a query', { app: optional(NAME) });

export type OfApp = Infer<typeof OF_APP>;

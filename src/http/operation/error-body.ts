import * as is from '../../core/resources/values.js';
import { optional } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { described, text } from '../../schema/values.js';

const DETAIL = is.shape('A problem with one field.', { field: is.TEXT, message: is.TEXT });

export const ERROR_DETAIL = is.resource('ErrorDetail', 'What was wrong, and what to do about it.', {
  code: described('The kind of error, for programs to compare.', is.TEXT),
  message: is.TEXT,
  request_id: text('the id of a request', /^req_[0-9a-f]{32}$/),
  details: is.listOf(DETAIL),
  hint: optional(described('What to do next. The sandbox adds it to help you.', is.TEXT)),
});

export const ERROR = is.resource('Error', 'Every error (§7).', { error: ERROR_DETAIL });

/** The body of every error (§7). */
export type ErrorBody = Infer<typeof ERROR>;

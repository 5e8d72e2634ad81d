import * as is from '../../core/resources/values.js';
import { nullable, partial, type ValuesOf } from '../../schema/object.js';
import { withDoc, number, enumOf } from '../../schema/values.js';

/** The facts of an entry; which ones there are depends on its kind. */
export const ENTRY_FACTS = partial({
  resource: withDoc(
    'The table of the row that changed.',
    enumOf(['charge', 'withdrawal', 'session', 'endpoint']),
  ),
  from: withDoc('Its status before; null for a new row.', nullable(is.TEXT)),
  to: is.TEXT,
  resource_id: nullable(is.TEXT),
  code: is.TEXT,
  command: withDoc('The command that was applied, such as charge.settle.', is.TEXT),
  scenario: is.TEXT,
  event_type: is.TEXT,
  event_id: is.TEXT,
  delivery_id: is.TEXT,
  endpoint_id: is.TEXT,
  target: withDoc('The URL of the endpoint, or what a listener forwards to.', is.TEXT),
  attempt: is.COUNT,
  status: withDoc('Of our response to a call, or of the receiver’s to an attempt.', nullable(is.COUNT)),
  error: nullable(is.TEXT),
  method: is.TEXT,
  path: is.TEXT,
  matched: withDoc('Whether there is a route for the call.', is.BOOLEAN),
  app_id: nullable(is.TEXT),
  during: withDoc('The attempts under way when the call of their application began.', is.arrayOf(is.TEXT)),
  faults: is.arrayOf(is.TEXT),
  moved_from: is.TEXT,
  moved_to: is.TEXT,
  rate: number('a rate', { min: 0 }),
});
export type EntryFacts = Readonly<ValuesOf<typeof ENTRY_FACTS>>;

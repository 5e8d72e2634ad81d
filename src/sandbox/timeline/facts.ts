import { AGENDA_KINDS } from '../../core/agenda.js';
import * as is from '../../core/resources/values.js';
import { nullable, partial, type ValuesOf } from '../../schema/object.js';
import { withDoc, number, enumOf } from '../../schema/values.js';

/** Details of a timeline entry; the fields depend on the entry's kind. */
export const ENTRY_FACTS = partial({
  resource: withDoc(
    'The type of the changed resource.',
    enumOf(['charge', 'withdrawal', 'session', 'endpoint']),
  ),
  from: withDoc('The previous status; null for a new resource.', nullable(is.TEXT)),
  to: is.TEXT,
  resource_id: nullable(is.TEXT),
  code: is.TEXT,
  command: withDoc('The applied command, e.g. charge.settle.', is.TEXT),
  scenario: is.TEXT,
  due: withDoc('The kind of scheduled item that the clock executed.', enumOf(AGENDA_KINDS)),
  event_type: is.TEXT,
  event_id: is.TEXT,
  delivery_id: is.TEXT,
  endpoint_id: is.TEXT,
  target: withDoc('The endpoint URL, or the forward target of a listener.', is.TEXT),
  attempt: is.COUNT,
  status: withDoc(
    'The sandbox’s response status for a request, or the receiver’s for an attempt.',
    nullable(is.COUNT),
  ),
  error: nullable(is.TEXT),
  field: withDoc('The first invalid field of a refused request.', is.TEXT),
  duration_ms: withDoc('Real time from a request to its response, in milliseconds.', is.COUNT),
  method: is.TEXT,
  path: is.TEXT,
  matched: withDoc('True if a route matches the request.', is.BOOLEAN),
  app_id: nullable(is.TEXT),
  during: withDoc('Attempts in flight to the same application when the request began.', is.arrayOf(is.TEXT)),
  faults: is.arrayOf(is.TEXT),
  moved_from: is.TEXT,
  moved_to: is.TEXT,
  rate: number('a rate', { min: 0 }),
});
export type EntryFacts = Readonly<ValuesOf<typeof ENTRY_FACTS>>;

import { objectOf } from '../json-forms.js';
import { type Mistake, rowsAbout, rowsFromText, UNSET_TEXTS } from '../mistake.js';

const SIGN_THE_HEADER = 'Sign the text of webhook-id, exactly as in the header.';

const row = rowsFromText('id', SIGN_THE_HEADER);

/** Texts that may have been signed instead of the message id. */
export const ID_MISTAKES: readonly Mistake[] = [
  rowsAbout('id', SIGN_THE_HEADER)(
    'id-of-body',
    'An id from the body was signed in place of webhook-id.',
    ({ json }) => idsInBody(json?.value),
  ),
  row('id-without-prefix', 'The id was signed without its prefix.', (id) => [id.slice(id.indexOf('_') + 1)]),
  row('id-with-prefix', 'The id was signed with a prefix that was not sent.', (id) => [
    `msg_${id}`,
    `evt_${id}`,
  ]),
  row('id-other-prefix', 'The id was signed with a different prefix than sent.', (id) =>
    ['msg_', 'evt_'].map((prefix) => id.replace(/^[a-z]+_/, prefix)),
  ),
  row('id-case', 'The id was signed in a different case than sent.', (id) => [
    id.toLowerCase(),
    id.toUpperCase(),
  ]),
  row('id-quoted', 'The id was signed in quotes.', (id) => [`"${id}"`, `'${id}'`, `b'${id}'`]),
  row('id-with-blanks', 'The id was signed with a space or line break around it.', (id) => [
    `${id} `,
    ` ${id}`,
    `${id}\n`,
  ]),
  row('id-unset', 'An unset value was signed in place of the id.', () => UNSET_TEXTS),
  row('id-is-header-name', 'The name of the header was signed, not its value.', () => [
    'webhook-id',
    'webhook_id',
    'id',
  ]),
];

/** The ids in an event, by their places. */
function idsInBody(event: unknown): Record<string, string> {
  const envelope = objectOf(event);
  const data = objectOf(envelope?.['data']);
  const resource = objectOf(data?.['object']);
  const places = {
    id: envelope?.['id'],
    event_id: envelope?.['event_id'],
    'data.id': data?.['id'],
    'data.object.id': resource?.['id'],
    'data.object.code': resource?.['code'],
  };
  return Object.fromEntries(
    Object.entries(places).filter((place): place is [string, string] => typeof place[1] === 'string'),
  );
}

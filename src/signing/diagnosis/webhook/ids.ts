import { objectOf } from '../json-forms.js';
import {
  type Mistake,
  mistake,
  namedVariants,
  type Subject,
  UNSET_TEXTS,
  type Variant,
  variantsOf,
} from '../mistake.js';

const SIGN_THE_HEADER = 'Sign the text of webhook-id, exactly as in the header.';

/** Texts that may have been signed instead of the message id. */
export const ID_MISTAKES: readonly Mistake[] = [
  mistake('id-of-body', 'An id from the body was signed in place of webhook-id.', SIGN_THE_HEADER, idsInBody),
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
  row('id-quoted', 'The id was signed in quotes.', (id) => [`"${id}"`, `'${id}'`]),
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

function row(id: string, did: string, forms: (id: string) => readonly string[]): Mistake {
  return mistake(id, did, SIGN_THE_HEADER, ({ right }) =>
    typeof right.id === 'string' ? variantsOf('id', ...forms(right.id)) : [],
  );
}

function idsInBody({ json }: Subject): Variant[] {
  const envelope = objectOf(json?.value);
  const data = objectOf(envelope?.['data']);
  const resource = objectOf(data?.['object']);
  const places = [
    ['id', envelope?.['id']],
    ['event_id', envelope?.['event_id']],
    ['data.id', data?.['id']],
    ['data.object.id', resource?.['id']],
    ['data.object.code', resource?.['code']],
  ] as const;
  return places.flatMap(([place, value]) =>
    typeof value === 'string' ? namedVariants('id', [[place, value]]) : [],
  );
}

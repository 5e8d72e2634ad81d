import { expect, test } from 'vitest';
import * as tables from '../../src/contract/transitions.js';
import { isNode, readSources, treeOf, walk } from '../helpers/source/sources.js';

const { CHARGE_STATUSES, DELIVERY_STATUSES, ENDPOINT_STATUSES, SESSION_STATUSES } = tables;
const OWN = [...CHARGE_STATUSES, ...DELIVERY_STATUSES, ...ENDPOINT_STATUSES, ...SESSION_STATUSES];
const STATUSES = new Set<string>([...tables.WITHDRAWAL_STATUSES, ...OWN]);
/** A path or command tells moves such as `fail` from verdicts of the same name. */
const MOVE =
  /^(?:settle|expire)$|^(?:charge|withdrawal)s?(?:\.|\/:id\/)(?:settle|fail|expire|process|return)$/;

/** The reasons for the files that spell them out besides the table and the rules of the core. */
const EXCEPTIONS = {
  'check/orders.ts': 'composes the events of charges that exist in no sandbox, and pays real ones',
  'cli/commands/clock.ts': 'has its own words for the expiry of a charge',
  'cli/commands/kyc.ts': 'offers the likeliest decision first',
  'cli/completion/lists.ts': 'completes dead letters',
  'cli/program/program.ts': 'knows other words for some moves',
  'console/sentence-texts.ts': 'says each status as a sentence in two languages',
  'console/view/pages.tsx': 'counts deliveries by status',
  'explore/observe.ts': 'makes a delivery undecided',
  'http/hosted/session.tsx': 'names the callback of each decision',
  'http/hosted/texts.ts': 'explains statuses and decisions in two languages',
  'http/server/serve.ts': 'names the status of a promise',
  'http/service/faults.ts': 'pays the charge of the fault event-first',
  'parity/creation-questions.ts': 'recognizes the result of an expired session',
  'scenario/record.ts': 'repeats what has no event',
};

function spelledIn(text: string): string[] {
  const found = new Set<string>();
  walk(treeOf(text), ({ type, value, key, computed }) => {
    const word = type === 'Literal' ? value : type === 'Property' && !computed && isNode(key) && key['name'];
    if (typeof word === 'string' && (STATUSES.has(word) || MOVE.test(word))) found.add(word);
  });
  return [...found];
}

test('statuses and moves are spelled out only in their table, in core rules and with a reason', () => {
  const isOwn = (file: string) => file.startsWith('core/') || file === 'contract/transitions.ts';
  const files = [...readSources('src')].filter(([file, text]) => !isOwn(file) && spelledIn(text).length > 0);
  expect(files.map(([file]) => file)).toEqual(Object.keys(EXCEPTIONS));
  const text = "const row = { to: 'SETTLED', expire: true }; post('charges/:id/fail', 'fail');";
  expect(spelledIn(text)).toEqual(['SETTLED', 'expire', 'charges/:id/fail']);
});

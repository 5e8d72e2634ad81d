import type { LedgerEntryView } from '../../../http/control/schema.js';
import type { BodyOf } from '../../program/declaration.js';
import { EXIT } from '../../program/errors.js';
import { pageNote } from '../../sandbox/present.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import type { Column } from '../../terminal/text.js';
import { oneLine, table } from '../../terminal/text.js';
import { instantText } from '../../terminal/when.js';
import type { ledger } from './command.js';

/** Prints a page of the ledger; exit 1 when the ledger is not sound. */
export const showLedger: BodyOf<typeof ledger> = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io, options } = invocation;
    const { account, limit, after, before } = options;
    const view = await client.get('ledger', { account, limit, after, before });
    io.emit(view);
    if (!io.json) {
      const { data, paging, problems } = view;
      io.say(data.length === 0 ? 'No transactions.' : table(io, data, columns(data)));
      for (const problem of problems) io.note(`${io.colour.red('problem')} ${oneLine(problem, 0)}`);
      const note = pageNote(paging);
      if (note !== '') io.note(note);
    }
    return view.problems.length === 0 ? EXIT.done : EXIT.no;
  });

function columns(entries: readonly LedgerEntryView[]): readonly Column<LedgerEntryView>[] {
  const isOfSeveral = new Set(entries.map(({ account_id: id }) => id)).size > 1;
  return [
    { title: 'TIME', value: ({ created_at: at }) => instantText(at) },
    { title: 'WHAT', value: ({ what }) => what ?? 'unexplained' },
    { title: 'CODE', value: ({ code }) => code, leastWidth: 8 },
    { title: 'AMOUNT', value: ({ direction, amount }) => (direction === 'DEBIT' ? `-${amount}` : amount) },
    { title: 'BALANCE', value: ({ balance }) => balance },
    {
      title: 'ACCOUNT',
      value: ({ account_id: id }) => (isOfSeveral ? id : ''),
      leastWidth: 9,
      optional: true,
    },
  ];
}

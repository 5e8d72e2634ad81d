import type { LedgerEntryView, StatusView } from '../../http/control/schema.js';
import { Ready } from '../detail/loaded.js';
import { Link } from '../frame/link.js';
import type { Console } from '../model/console.js';
import { listPath, listQuery } from './page-query.js';
import { Paging } from './paging.js';

const ROWS = 50;
const PATH = '/ledger';

type Account = StatusView['accounts'][number];

/** What was credited and debited, newest first, each with the balance after it; what is wrong with it comes first. */
export function LedgerPage({ model }: { model: Console }) {
  const { words } = model;
  const { ledger } = words.payments;
  const query = listQuery(location.search, 'account');
  const loaded = model.resources.read(
    listPath(PATH, query),
    (client) => client.get('ledger', { ...query, limit: ROWS }),
    ({ kind }) => kind === 'change' || kind === 'command',
  );
  const accounts = model.resources.read(
    'accounts',
    async (client) => (await client.get('status')).accounts,
    ({ kind }) => kind === 'change' || kind === 'command',
  ).value;
  return (
    <>
      <h2>{words.sections.ledger}</h2>
      <Accounts model={model} accounts={accounts ?? []} chosen={query['account'] ?? ''} />
      <Ready model={model} loaded={loaded}>
        {({ data, problems }) => (
          <>
            {problems.length === 0 ? (
              <p class="good">{ledger.sound}</p>
            ) : (
              <div class="loud" role="alert">
                <p>{ledger.problems(problems.length)}</p>
                <ul>
                  {problems.map((problem) => (
                    <li key={problem}>{problem}</li>
                  ))}
                </ul>
              </div>
            )}
            <Entries model={model} entries={data} />
          </>
        )}
      </Ready>
      <Paging model={model} path={PATH} query={query} paging={loaded.value?.paging} />
    </>
  );
}

/** The balance of the account; which one, where there are several. */
function Accounts({
  model,
  accounts,
  chosen,
}: {
  model: Console;
  accounts: readonly Account[];
  chosen: string;
}) {
  const { ledger } = model.words.payments;
  const [only] = accounts;
  if (only === undefined) return null;
  if (accounts.length === 1) {
    return (
      <p>
        {ledger.account} <code>{only.id}</code>, {ledger.balance(only.balance)}
      </p>
    );
  }
  const choose = (event: Event) =>
    model.go(listPath(PATH, { account: (event.target as HTMLSelectElement).value }));
  return (
    <div class="tools wrap">
      <label>
        {ledger.account}{' '}
        <select value={chosen} onChange={choose}>
          <option value="">{ledger.allAccounts}</option>
          {accounts.map(({ id, balance }) => (
            <option key={id} value={id}>
              {id}, {ledger.balance(balance)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Entries({ model, entries }: { model: Console; entries: readonly LedgerEntryView[] }) {
  const { ledger, list } = model.words.payments;
  const isOfSeveral = new Set(entries.map(({ account_id: id }) => id)).size > 1;
  if (entries.length === 0) return <p class="empty">{model.words.none}</p>;
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">{ledger.time}</th>
          <th scope="col">{ledger.what}</th>
          <th scope="col">{list.code}</th>
          <th scope="col" class="amount">
            {list.amount}
          </th>
          <th scope="col" class="amount">
            {ledger.running}
          </th>
          {isOfSeveral ? <th scope="col">{ledger.account}</th> : null}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td>{model.words.instant(entry.created_at)}</td>
            <td class={entry.what === null ? 'bad' : undefined}>{entry.what ?? ledger.unexplained}</td>
            <td>
              <Subject model={model} entry={entry} />
            </td>
            <td class="amount">{entry.direction === 'DEBIT' ? `−${entry.amount}` : entry.amount}</td>
            <td class="amount">{entry.balance}</td>
            {isOfSeveral ? <td>{entry.account_id}</td> : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Subject({ model, entry: { resource, code } }: { model: Console; entry: LedgerEntryView }) {
  if (resource === null) return <>{code}</>;
  const section = resource.type === 'pix' ? 'charges' : 'withdrawals';
  return (
    <Link model={model} to={`/${section}/${resource.id}`}>
      {resource.code}
    </Link>
  );
}

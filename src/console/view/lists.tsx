import type { Child } from 'hono/jsx';
import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from '../../contract/transitions.js';
import type { LedgerEntryView, StatusView } from '../../http/control/schema.js';
import { encodeSegment } from '../../text/urls.js';
import type { Choice, Payment } from '../model/forms.js';
import type { Loaded } from '../model/resources.js';
import type { ListQuery } from '../model/routes.js';
import { listPath, listQuery } from '../model/routes.js';
import type { Column } from './parts.js';
import { Button, Link, ready, Select, State, Table } from './parts.js';
import { model, words } from './screen.js';

const ROWS = 50;

interface PaymentLine {
  readonly id: string;
  readonly code: string;
  readonly amount: string;
  readonly status: string;
  readonly created_at: string;
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly paging: { readonly before: string | null; readonly after: string | null };
}

/** The charges or the withdrawals, newest first: of one status, a page at a time, or one by its code. */
export function PaymentsPage({ payment }: { payment: Payment }) {
  const { list } = words.payments;
  const section = `${payment}s` as const;
  const path = `/${section}`;
  const query = listQuery(location.search, 'status');
  const { status } = query;
  const loaded: Loaded<Page<PaymentLine>> = model.resources.read<Page<PaymentLine>>(
    listPath(path, query),
    (client) =>
      payment === 'charge'
        ? client.get('charges', { ...query, limit: ROWS })
        : client.get('withdrawals', { ...query, limit: ROWS }),
    ({ resource }) => resource === payment,
  );
  const open = model.route.detail?.id;
  const isCurrent = ({ id, code }: PaymentLine) => open === id || open === code;
  const columns: readonly Column<PaymentLine>[] = [
    {
      title: list.code,
      isHeader: true,
      cell: (row) => (
        <Link to={`${path}/${row.id}${location.search}`} current={isCurrent(row) ? 'true' : undefined}>
          {row.code}
        </Link>
      ),
    },
    { title: list.amount, isAmount: true, cell: ({ amount }) => amount },
    { title: list.status, cell: (row) => <State of={row.status} /> },
    { title: list.created, cell: (row) => words.instant(row.created_at) },
  ];
  const none = status === undefined ? words.none : list.noneOf(status);
  return (
    <ListPage
      title={words.sections[section]}
      path={path}
      query={query}
      loaded={loaded}
      tools={<PaymentTools payment={payment} status={status ?? ''} />}
      draw={({ data }) =>
        data.length === 0 ? (
          <p class="empty">{none}</p>
        ) : (
          <Table columns={columns} rows={data} isCurrent={isCurrent} />
        )
      }
    />
  );
}

/** The status to show, the code to look for, and the button for a new one. */
function PaymentTools({ payment, status }: { payment: Payment; status: string }) {
  const { payments } = words;
  const { list } = payments;
  const path = `/${payment}s`;
  const statuses = payment === 'charge' ? CHARGE_STATUSES : WITHDRAWAL_STATUSES;
  const find = (event: Event) => {
    event.preventDefault();
    const code = new FormData(event.target as HTMLFormElement).get('code');
    if (typeof code === 'string' && code.trim() !== '') model.go(`${path}/${encodeSegment(code.trim())}`);
  };
  return (
    <div class="tools wrap">
      <Button kind="main" label={payments[payment].add} onClick={() => model.open(payment)} />
      <Select
        label={list.status}
        choices={[['', list.anyStatus], ...statuses.map((name): Choice => [name, name])]}
        value={status}
        onChoose={(name) => model.go(listPath(path, { status: name }))}
      />
      <form class="find" role="search" onSubmit={find}>
        <label>
          {list.search} <input type="search" name="code" autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">{list.open}</button>
      </form>
    </div>
  );
}

/**
 * The account's entries, newest first, each with the balance after it; what is wrong with the ledger comes
 * first.
 */
export function LedgerPage() {
  const { ledger, list } = words.payments;
  const query = listQuery(location.search, 'account');
  const loaded = model.resources.read(
    listPath('/ledger', query),
    (client) => client.get('ledger', { ...query, limit: ROWS }),
    ({ kind }) => kind === 'change' || kind === 'command',
  );
  const columns: readonly Column<LedgerEntryView>[] = [
    { title: ledger.time, cell: (entry) => words.instant(entry.created_at) },
    { title: ledger.what, cell: ({ what }) => what ?? <span class="bad">{ledger.unexplained}</span> },
    { title: list.code, cell: subjectOf },
    {
      title: list.amount,
      isAmount: true,
      cell: ({ direction, amount }) => (direction === 'DEBIT' ? `−${amount}` : amount),
    },
    { title: ledger.running, isAmount: true, cell: ({ balance }) => balance },
  ];
  const account: Column<LedgerEntryView> = { title: ledger.account, cell: (entry) => entry.account_id };
  const isOfSeveral = (rows: readonly LedgerEntryView[]) =>
    new Set(rows.map(({ account_id: id }) => id)).size > 1;
  return (
    <ListPage
      title={words.sections.ledger}
      path="/ledger"
      query={query}
      loaded={loaded}
      tools={<Accounts chosen={query['account'] ?? ''} />}
      draw={({ data, problems }) => (
        <>
          <LedgerProblems problems={problems} />
          {data.length === 0 ? (
            <p class="empty">{words.none}</p>
          ) : (
            <Table columns={isOfSeveral(data) ? [...columns, account] : columns} rows={data} />
          )}
        </>
      )}
    />
  );
}

function subjectOf({ resource, code }: LedgerEntryView): Child {
  if (resource === null) return code;
  const section = resource.type === 'pix' ? 'charges' : 'withdrawals';
  return <Link to={`/${section}/${resource.id}`}>{resource.code}</Link>;
}

function LedgerProblems({ problems }: { problems: readonly string[] }) {
  const { ledger } = words.payments;
  if (problems.length === 0) return <p class="good">{ledger.sound}</p>;
  return (
    <div class="loud" role="alert">
      <p>{ledger.problems(problems.length)}</p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}

/** The balance of the account; where there are several, also which one. */
function Accounts({ chosen }: { chosen: string }) {
  const { ledger } = words.payments;
  const accounts: StatusView['accounts'] =
    model.resources.read(
      'accounts',
      async (client) => (await client.get('status')).accounts,
      ({ kind }) => kind === 'change' || kind === 'command',
    ).value ?? [];
  const [first] = accounts;
  if (first === undefined) return null;
  if (accounts.length === 1) {
    return (
      <p>
        {ledger.account} <code>{first.id}</code>, {ledger.balance(first.balance)}
      </p>
    );
  }
  const choices = accounts.map(({ id, balance }): Choice => [id, `${id}, ${ledger.balance(balance)}`]);
  return (
    <div class="tools wrap">
      <Select
        label={ledger.account}
        choices={[['', ledger.allAccounts], ...choices]}
        value={chosen}
        onChoose={(account) => model.go(listPath('/ledger', { account }))}
      />
    </div>
  );
}

/** A list with its tools, and links to older and newer pages. */
function ListPage<Value extends Pick<Page<unknown>, 'paging'>>({
  title,
  path,
  query: { after, before, ...filter },
  loaded,
  tools,
  draw,
}: {
  title: string;
  path: string;
  query: ListQuery;
  loaded: Loaded<Value>;
  tools: Child;
  draw: (value: Value) => Child;
}) {
  const { list } = words.payments;
  const isFirst = after === undefined && before === undefined;
  const older = loaded.value?.paging.after;
  const newer = loaded.value?.paging.before;
  const link = (label: string, page: Readonly<Record<string, string>>) => (
    <Link to={listPath(path, { ...filter, ...page })}>{label}</Link>
  );
  return (
    <>
      <h2>{title}</h2>
      {tools}
      {ready(loaded, draw)}
      {isFirst && older == null ? null : (
        <nav class="paging" aria-label={list.pages}>
          {isFirst ? null : link(list.newest, {})}
          {isFirst || newer == null ? null : link(list.newer, { before: newer })}
          {older == null ? null : link(list.older, { after: older })}
        </nav>
      )}
    </>
  );
}

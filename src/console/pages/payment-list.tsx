import { encodeSegment } from '../../text/urls.js';
import type { ControlClient } from '../../client/control.js';
import { Ready } from '../detail/loaded.js';
import type { Payment } from '../dialogs/payment-fields.js';
import { fieldOf } from '../frame/form.js';
import { Link } from '../frame/link.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { toneOfState } from '../model/rows.js';
import type { ListQuery } from './page-query.js';
import { listPath, listQuery } from './page-query.js';
import { Paging } from './paging.js';

const ROWS = 50;

/** What a list shows of a charge or a withdrawal. */
interface Line {
  readonly id: string;
  readonly code: string;
  readonly amount: string;
  readonly status: string;
  readonly created_at: string;
}

interface Lines {
  readonly data: readonly Line[];
  readonly paging: { readonly before: string | null; readonly after: string | null };
}

type Load = (client: ControlClient, query: ListQuery & { readonly limit: string }) => Promise<Lines>;

/** The charges or the withdrawals, newest first: of one status, a page at a time, or one by its code. */
export function PaymentList({
  model,
  payment,
  statuses,
  load,
}: {
  model: Console;
  payment: Payment;
  statuses: readonly string[];
  load: Load;
}) {
  const { words } = model;
  const section = `${payment}s` as const;
  const path = `/${section}`;
  const query = listQuery(location.search, 'status');
  const loaded = model.resources.read(
    listPath(path, query),
    (client) => load(client, { ...query, limit: String(ROWS) }),
    ({ resource }) => resource === payment,
  );
  return (
    <>
      <h2>{words.sections[section]}</h2>
      <Tools model={model} payment={payment} statuses={statuses} status={query['status'] ?? ''} />
      <Ready model={model} loaded={loaded}>
        {({ data }) => <Rows model={model} path={path} lines={data} status={query['status']} />}
      </Ready>
      <Paging model={model} path={path} query={query} paging={loaded.value?.paging} />
    </>
  );
}

/** The status to show, the code to look for, and the button for a new one. */
function Tools({
  model,
  payment,
  statuses,
  status,
}: {
  model: Console;
  payment: Payment;
  statuses: readonly string[];
  status: string;
}) {
  const { payments } = model.words;
  const path = `/${payment}s`;
  const choose = (event: Event) =>
    model.go(listPath(path, { status: (event.target as HTMLSelectElement).value }));
  const find = (event: Event) => {
    event.preventDefault();
    const code = fieldOf(event, 'code');
    if (code !== '') model.go(`${path}/${encodeSegment(code)}`);
  };
  return (
    <div class="tools wrap">
      <button type="button" class="main" onClick={() => model.open(payment)}>
        {payments[payment].add}
      </button>
      <label>
        {payments.list.status}{' '}
        <select value={status} onChange={choose}>
          {['', ...statuses].map((name) => (
            <option key={name} value={name}>
              {name === '' ? payments.list.anyStatus : name}
            </option>
          ))}
        </select>
      </label>
      <form class="find" role="search" onSubmit={find}>
        <label>
          {payments.list.search} <input type="search" name="code" autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">{payments.list.open}</button>
      </form>
    </div>
  );
}

function Rows({
  model,
  path,
  lines,
  status,
}: {
  model: Console;
  path: string;
  lines: readonly Line[];
  status: string | undefined;
}) {
  const { words } = model;
  const { list } = words.payments;
  const shown = model.route.detail?.id;
  if (lines.length === 0) {
    return <p class="empty">{status === undefined ? words.none : list.noneOf(status)}</p>;
  }
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">{list.code}</th>
          <th scope="col" class="amount">
            {list.amount}
          </th>
          <th scope="col">{list.status}</th>
          <th scope="col">{list.created}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ id, code, amount, status: state, created_at: createdAt }) => (
          <tr key={id} class={shown === id || shown === code ? 'current' : undefined}>
            <th scope="row">
              <Link
                model={model}
                to={`${path}/${id}${location.search}`}
                current={shown === id || shown === code ? 'true' : undefined}
              >
                {code}
              </Link>
            </th>
            <td class="amount">{amount}</td>
            <td>
              <Ending outcome={{ text: state, tone: toneOfState(state) }} />
            </td>
            <td>{words.instant(createdAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

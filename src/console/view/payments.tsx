import type { Child } from 'hono/jsx';
import { DEFAULT_FAILURE_REASON } from '../../contract/enums.js';
import { listOptionalNames, PAYMENT_FIELDS } from '../../contract/fields.js';
import { CHARGE_STATUSES, type PaymentKind, WITHDRAWAL_STATUSES } from '../../contract/transitions.js';
import type { ChargeDetail as ChargeWithPage, ChargeView } from '../../http/control/schema.js';
import type { LedgerEntryView } from '../../http/control/payments.js';
import type { PageView, WithdrawalView } from '../../http/control/schema.js';
import { encodeSegment } from '../../text/urls.js';
import { listPaymentActions } from '../model/actions.js';
import { type FieldChoice, toChoices, createFailureForm } from '../model/forms.js';
import type { LoadState } from '../model/resources.js';
import { formatListPath, type ListQuery, formatListQuery } from '../model/routes.js';
import { listAttempts, createHistory, getEntryPage, listStates } from '../model/rows.js';
import type { HistoryStep } from '../model/histories.js';
import { consoleTexts, formatMoney } from '../words.js';
import { ActionForm } from './form.js';
import {
  renderActionButton,
  renderArticle,
  renderButton,
  renderCallout,
  renderCopyButton,
  renderDeliveryList,
  renderEmpty,
  renderFacts,
  renderFaint,
} from './parts.js';
import {
  type TableColumn,
  type RowFact,
  renderLink,
  renderReady,
  renderSection,
  renderSelect,
  renderState,
  renderSummary,
  renderTable,
  renderToned,
} from './parts.js';
import { model } from './screen.js';

const ROWS = 50;
const STATUSES = { charge: CHARGE_STATUSES, withdrawal: WITHDRAWAL_STATUSES } as const;

type PaymentView = ChargeView | WithdrawalView;

/** Lists charges or withdrawals by page, newest first, optionally filtered by status or code. */
export function PaymentsPage({ payment }: { payment: PaymentKind }) {
  const { names, payments } = consoleTexts;
  const path = `${payment}s` as 'charges';
  const query = formatListQuery(location.search, 'status');
  const { status = '' } = query;
  const loaded: LoadState<PageView<PaymentView>> = model.resources.get(path, {
    ...query,
    limit: ROWS,
  });
  const open = model.route.detail?.id;
  const isCurrent = ({ id, code }: PaymentView) => open === id || open === code;
  const find = (event: Event) => {
    event.preventDefault();
    const code = new FormData(event.target as HTMLFormElement).get('code');
    if (typeof code === 'string' && code.trim() !== '') model.go(`/${path}/${encodeSegment(code.trim())}`);
  };
  const columns: readonly TableColumn<PaymentView>[] = [
    [
      'code',
      (row) => renderLink(`/${path}/${row.id}${location.search}`, row.code, { isCurrent: isCurrent(row) }),
    ],
    ['amount', ({ amount }) => formatMoney(amount)],
    'status',
    'created_at',
  ];
  return (
    <>
      <div class="tools">
        {renderButton(payments.add[payment], () => model.open(payment), { kind: 'main' })}
        {renderSelect(
          names.status,
          [['', payments.anyStatus], ...toChoices(STATUSES[payment])],
          status,
          (name) => model.go(formatListPath(`/${path}`, { status: name })),
        )}
        <form class="inline" role="search" onSubmit={find}>
          <label>
            {payments.search} <input type="search" name="code" autocomplete="off" spellcheck={false} />
          </label>
          <button type="submit">{consoleTexts.open}</button>
        </form>
      </div>
      {renderReady(loaded, ({ data }) =>
        renderTable(data, columns, {
          isCurrent,
          none: status === '' ? payments.none[payment] : payments.noneOf(status),
        }),
      )}
      {paging(`/${path}`, query, loaded)}
    </>
  );
}

const LEDGER: readonly TableColumn<LedgerEntryView>[] = [
  'created_at',
  ['what', ({ what }) => what ?? <span class="bad">{consoleTexts.payments.unexplained}</span>],
  ['code', subjectOf],
  ['amount', ({ direction, amount }) => `${direction === 'DEBIT' ? '−' : ''}${formatMoney(amount)}`],
  ['balance', ({ balance }) => formatMoney(balance)],
];

/** Lists an account's ledger entries with balances, newest first, below any inconsistencies. */
export function LedgerPage() {
  const { payments } = consoleTexts;
  const query = formatListQuery(location.search, 'account');
  const loaded = model.resources.get('ledger', { ...query, limit: ROWS });
  return (
    <>
      {accountChoice(query['account'])}
      {renderReady(loaded, ({ data, problems }) => {
        const isOfSeveral = new Set(data.map((entry) => entry.account_id)).size > 1;
        return [
          problems.length === 0 ? (
            <p>{renderToned(payments.consistent, true)}</p>
          ) : (
            renderCallout(payments.problems, ...problems.map((line) => <p key={line}>{line}</p>))
          ),
          renderTable(data, isOfSeveral ? [...LEDGER, 'account_id'] : LEDGER),
        ];
      })}
      {paging('/ledger', query, loaded)}
    </>
  );
}

function subjectOf({ resource, code }: LedgerEntryView) {
  if (resource === null) return code;
  return renderLink(`/${resource.type === 'pix' ? 'charges' : 'withdrawals'}/${resource.id}`, resource.code);
}

/** Shows the account's balance and, with several accounts, a selector. */
function accountChoice(chosen: string | undefined) {
  const { names, payments } = consoleTexts;
  const accounts = model.resources.get('status').value?.accounts ?? [];
  const choices = accounts.map(({ id, balance }): FieldChoice => [id, `${id}, ${names.balance} ${balance}`]);
  if (choices.length < 2) {
    return [
      renderSummary(accounts.map(({ balance }) => [names.balance, formatMoney(balance)])),
      accounts.map(({ id }) => renderFaint(`${names.account_id} ${id}`)),
    ];
  }
  return renderSelect(names.account_id, [['', payments.allAccounts], ...choices], chosen, (account) =>
    model.go(formatListPath('/ledger', { account })),
  );
}

function paging(path: string, { after, before, ...filter }: ListQuery, loaded: LoadState<PageView<unknown>>) {
  const { payments } = consoleTexts;
  const isFirst = after === undefined && before === undefined;
  const { after: older, before: newer } = loaded.value?.paging ?? {};
  if (isFirst && older == null) return null;
  const page = (label: string, cursor: object) =>
    renderLink(formatListPath(path, { ...filter, ...cursor }), label);
  return (
    <nav class="paging" aria-label={payments.pages}>
      {isFirst ? null : page(payments.newest, {})}
      {isFirst || newer == null ? null : page(payments.newer, { before: newer })}
      {older == null ? null : page(payments.older, { after: older })}
    </nav>
  );
}

/** Shows a charge: the payer's view, available actions, and history. `id` can also be its code. */
export function ChargeDetails({ id }: { id: string }) {
  return renderReady(model.resources.get('charges/:id', { id }), (charge) => {
    const { fees } = charge;
    const net = consoleTexts.payments.net(fees.net_amount);
    return paymentDetail('charge', charge, consoleTexts.noReason, renderPaymentCode(charge), [
      ['fees', `${fees.provider_fee} + ${fees.partner_fee}, ${net}`],
      ...listOptionalNames(PAYMENT_FIELDS.own.charge),
      'expires_at',
    ]);
  });
}

/** Shows a withdrawal: destination, available actions, and history. `id` can also be its code. */
export function WithdrawalDetails({ id }: { id: string }) {
  return renderReady(model.resources.get('withdrawals/:id', { id }), (withdrawal) => {
    const { destination, fee, net_amount: net } = withdrawal;
    const noReason = `${DEFAULT_FAILURE_REASON} (${consoleTexts.byDefault})`;
    return paymentDetail('withdrawal', withdrawal, noReason, null, [
      ['fee', `${fee}, ${consoleTexts.payments.net(net)}`],
      ['to', `${destination.pix_key} (${destination.pix_key_type})`],
      ...listOptionalNames(PAYMENT_FIELDS.own.withdrawal).map((name): RowFact => [name, destination[name]]),
    ]);
  });
}

function paymentDetail(
  kind: PaymentKind,
  payment: PaymentView,
  noReason: string,
  payer: Child,
  own: readonly RowFact[],
) {
  const { payments } = consoleTexts;
  const moves = listPaymentActions(kind, payment).sort(
    (one, other) => Number(one.hasReason) - Number(other.hasReason),
  );
  const metadata = Object.entries(payment.metadata).map(([key, value]) => (
    <p key={key}>{`${key}=${value}`}</p>
  ));
  return renderArticle(
    [payment.code, renderState(payment.status)],
    [
      <p class="total">{formatMoney(payment.amount)}</p>,
      moves.length === 0 ? renderEmpty(payments.final) : null,
      ...moves.map((move) =>
        move.hasReason ? (
          <ActionForm key={move.name} form={createFailureForm(move, noReason)} isInline />
        ) : (
          renderActionButton(payments.button(move.button), move.action())
        ),
      ),
    ],
    payer,
    renderFacts(
      [
        'id',
        ...own,
        'reason',
        'account_id',
        'created_at',
        ['metadata', metadata.length === 0 ? null : metadata],
      ],
      payment,
    ),
    renderSection(payments.history, history(payment.id)),
  );
}

/** Shows the QR code, its text, and a link to the payment page. */
function renderPaymentCode({ code, pay_url: payUrl, qr_code: text, qr_code_base64: png }: ChargeWithPage) {
  const { payments } = consoleTexts;
  return (
    <section class="payable" aria-label={payments.copyAndPaste}>
      {png === null ? null : (
        <img src={`data:image/png;base64,${png}`} alt={payments.qr(code)} width={180} height={180} />
      )}
      <div>
        <pre tabIndex={0} aria-label={payments.copyAndPaste}>
          {text}
        </pre>
        {renderCopyButton(text, undefined, payments.copyCode)}{' '}
        {/* Use only the path, because this browser may reach the sandbox at a different origin. */}
        <a href={new URL(payUrl).pathname} target="_blank" rel="noopener noreferrer">
          {payments.payPage}
        </a>
      </div>
    </section>
  );
}

function history(id: string) {
  const { histories } = model;
  const items = createHistory(histories, id);
  if (items.length === 0) return renderEmpty(consoleTexts.payments.historyGone);
  const lines = (deliveries: readonly HistoryStep[]) =>
    renderDeliveryList(
      deliveries.map((step) => ({
        step,
        id: step.entry.id ?? '',
        status: listStates(histories, step).at(-1) ?? '',
      })),
      ({ step }) => `→ ${step.entry.target}`,
      ({ step }) =>
        listAttempts(histories, step)
          .map(({ status, error }) => status ?? error)
          .join(' '),
    );
  return (
    <ol class="trace">
      {items.map(({ step, deliveries }) => (
        <li key={step.entry.seq}>
          <time>{consoleTexts.instant(step.entry.at)}</time> {labelOf(step)}
          {step.entry.kind === 'event' ? lines(deliveries) : null}
        </li>
      ))}
    </ol>
  );
}

/** Labels a change with its cause (a request or another actor), or an event. */
function labelOf(step: HistoryStep) {
  const { entry } = step;
  if (entry.kind === 'state') return entry.title;
  if (entry.kind === 'event') return renderLink(getEntryPage(entry) ?? '/', entry.event_type);
  const { entry: cause } = model.histories.rootOf(step);
  const request =
    cause.kind === 'call' && renderLink(getEntryPage(cause) ?? '/', `${cause.method} ${cause.path}`);
  return [renderState(entry.to ?? ''), ' ', request || renderFaint(consoleTexts.actors[cause.by])];
}

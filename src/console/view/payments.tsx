import type { Child } from 'hono/jsx';
import { DEFAULT_FAILURE_REASON } from '../../contract/enums.js';
import type { ChargeDetail as ChargeWithPage } from '../../http/control/schema.js';
import type { ChargeView } from '../../http/control/schema.js';
import type { PaymentMove } from '../model/actions.js';
import { chargeMoves, withdrawalMoves } from '../model/actions.js';
import { failureForm } from '../model/forms.js';
import { readCharge, readWithdrawal } from '../model/reads.js';
import type { DeliveryCourse } from '../model/rows.js';
import { historyOf, pageOf } from '../model/rows.js';
import type { Step } from '../model/stories.js';
import { rootOf } from '../model/stories.js';
import { Form } from './form.js';
import type { Fact } from './parts.js';
import { ActionButton, CopyButton, Facts, instantOf, Link, ready, Section, State } from './parts.js';
import { context, model, words } from './screen.js';

/** A charge: what the payer sees, what can happen to it, and what did. `id` may also be its code. */
export function ChargeDetail({ id }: { id: string }) {
  const { payments } = words;
  return ready(readCharge(model, id), (charge) => {
    const { fees, payer_name: name, payer_document: document } = charge;
    return (
      <PaymentDetail
        payment={charge}
        asset={charge.asset_code}
        moves={chargeMoves(words, charge)}
        noReason={payments.noReason}
        facts={[
          ['fees', `${fees.provider_fee} + ${fees.partner_fee}, ${payments.net(fees.net_amount)}`],
          ['payer', [name, document].filter(Boolean).join(', ')],
        ]}
        expiresAt={charge.expires_at}
      >
        <Payable charge={charge} />
      </PaymentDetail>
    );
  });
}

/**
 * A withdrawal: where it goes, what the bank can do with it, and what happened to it. `id` may also be its
 * code.
 */
export function WithdrawalDetail({ id }: { id: string }) {
  const { payments } = words;
  return ready(readWithdrawal(model, id), (withdrawal) => {
    const { destination, fee, net_amount: net } = withdrawal;
    const beneficiary = [destination.beneficiary_name, destination.beneficiary_document];
    return (
      <PaymentDetail
        payment={withdrawal}
        asset="BRL"
        moves={withdrawalMoves(words, withdrawal)}
        noReason={`${DEFAULT_FAILURE_REASON} (${payments.byDefault})`}
        facts={[
          ['fee', `${fee}, ${payments.net(net)}`],
          ['to', `${destination.pix_key} (${destination.pix_key_type})`],
          ['beneficiary', beneficiary.filter(Boolean).join(', ')],
        ]}
      />
    );
  });
}

type PaymentView = Pick<
  ChargeView,
  'id' | 'code' | 'status' | 'amount' | 'reason' | 'account_id' | 'created_at' | 'metadata'
>;

function PaymentDetail({
  payment,
  asset,
  moves,
  noReason,
  facts,
  expiresAt = null,
  children,
}: {
  payment: Omit<PaymentView, 'status'> & { readonly status: string };
  asset: string;
  moves: readonly PaymentMove[];
  noReason: string;
  facts: readonly Fact[];
  expiresAt?: string | null;
  children?: Child;
}) {
  const { id, code, status, amount, reason, account_id: account, created_at: created, metadata } = payment;
  const entries = Object.entries(metadata);
  return (
    <article>
      <h2>
        {code} <State of={status} />
      </h2>
      <p class="total">
        {amount} {asset}
      </p>
      <Moves moves={moves} noReason={noReason} />
      {children}
      <Facts
        of={[
          ['id', id],
          ...facts,
          ['reason', reason],
          ['account', account],
          ['created', words.instant(created)],
          ['expires', instantOf(expiresAt)],
          [
            'metadata',
            entries.length === 0 ? undefined : (
              <ul key="metadata">
                {entries.map(([key, value]) => (
                  <li key={key}>
                    {key}={value}
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
      <History id={id} />
    </article>
  );
}

/** The buttons for what can be done with a payment; failures ask for their reason. */
function Moves({ moves, noReason }: { moves: readonly PaymentMove[]; noReason: string }) {
  if (moves.length === 0) return <p class="empty">{words.payments.final}</p>;
  const failing = moves.find(({ acceptsReason }) => acceptsReason);
  return (
    <>
      <div class="buttons">
        {moves
          .filter((move) => move !== failing)
          .map(({ name, label, action }) => (
            <ActionButton key={name} label={label} action={action(undefined)} />
          ))}
      </div>
      {failing === undefined ? null : (
        <Form key={failing.name} form={failureForm(context, failing, noReason)} isInline isMain={false} />
      )}
    </>
  );
}

/** The QR code, the text to copy in its place, and the page on which a payer would pay. */
function Payable({ charge }: { charge: ChargeWithPage }) {
  const { charge: texts } = words.payments;
  const { code, pay_url: payUrl, qr_code: text, qr_code_base64: png } = charge;
  return (
    <section class="payable" aria-label={texts.copyAndPaste}>
      {png === null ? null : (
        <img src={`data:image/png;base64,${png}`} alt={texts.qr(code)} width={180} height={180} />
      )}
      <div>
        <h3>{texts.copyAndPaste}</h3>
        <pre tabIndex={0} aria-label={texts.copyAndPaste}>
          {text}
        </pre>
        <CopyButton text={text} label={texts.copyCode} />{' '}
        {/* The path only: this browser may reach the sandbox at another address than the sandbox knows. */}
        <a href={new URL(payUrl).pathname} target="_blank" rel="noopener noreferrer">
          {texts.payPage}
        </a>
      </div>
    </section>
  );
}

/** What happened to a payment, what caused it, and the deliveries of its events. */
function History({ id }: { id: string }) {
  const { history } = words.payments;
  const items = historyOf(model.stories, id);
  return (
    <Section title={history.title}>
      {items.length === 0 ? <p class="empty">{history.gone}</p> : null}
      <ol class="history">
        {items.map(({ step, deliveries }) => (
          <li key={step.entry.seq}>
            <time>{words.instant(step.entry.at)}</time> <HistoryLabel step={step} />
            {step.entry.kind === 'event' && deliveries.length === 0 ? (
              <p class="empty">{history.nobody}</p>
            ) : null}
            <ul>
              {deliveries.map((course) => (
                <HistoryDelivery key={course.entry.seq} course={course} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** A change with its cause, the request of the application or who did it; or an event. */
function HistoryLabel({ step }: { step: Step }) {
  const { entry } = step;
  if (entry.kind === 'state') return <span>{entry.title}</span>;
  if (entry.kind === 'event') return <Link to={pageOf(entry) ?? '/'}>{entry.event_type}</Link>;
  const { entry: cause } = rootOf(step);
  const page = pageOf(cause);
  return (
    <>
      <State of={entry.to ?? ''} />{' '}
      {cause.kind === 'call' && page !== undefined ? (
        <Link to={page}>
          {cause.method} {cause.path}
        </Link>
      ) : (
        <span class="faint">{words.actors[cause.by]}</span>
      )}
    </>
  );
}

function HistoryDelivery({ course: { entry, state, attempts } }: { course: DeliveryCourse }) {
  const ends = attempts.map(({ status, error }) => status ?? error ?? '').join(' ');
  return (
    <li>
      <Link to={`/deliveries/${entry.id}`}>→ {entry.target}</Link> <State of={state} />{' '}
      <span class="faint">{ends}</span>
    </li>
  );
}

import type { Child } from 'hono/jsx';
import type { ChargeDetail as ChargeWithPage } from '../../../http/control/payments.js';
import type { ChargeView } from '../../../http/control/schema.js';
import { CopyButton } from '../../frame/copy-button.js';
import { Ending } from '../../live/live-row.js';
import type { Console } from '../../model/console.js';
import { toneOfState } from '../../model/rows.js';
import { Facts, Ready } from '../loaded.js';
import { chargeMoves } from './payment-actions.js';
import { History, Moves } from './payment-parts.js';

/** A charge: what the payer sees, what can happen to it, and what did. `id` may be its code, too. */
export function ChargeDetail({ model, id }: { model: Console; id: string }) {
  const { payments } = model.words;
  const loaded = model.resources.read(
    `charge ${id}`,
    (client) => client.get('charges/:id', { id }),
    (entry) => entry.resource === 'charge' && (entry.code === id || entry.id?.startsWith(id) === true),
  );
  return (
    <Ready model={model} loaded={loaded}>
      {(charge) => (
        <article>
          <h2>
            {charge.code} <Ending outcome={{ text: charge.status, tone: toneOfState(charge.status) }} />
          </h2>
          <p class="total">
            {charge.amount} {charge.asset_code}
          </p>
          <Moves
            model={model}
            moves={chargeMoves(model.words, charge)}
            buttons={payments.charge.moves}
            noReason={payments.noReason}
          />
          <Payable model={model} charge={charge} />
          <ChargeFacts model={model} charge={charge} />
          <History model={model} id={charge.id} />
        </article>
      )}
    </Ready>
  );
}

/** The QR code, the text to copy in its place, and the page on which a payer would pay. */
function Payable({ model, charge }: { model: Console; charge: ChargeWithPage }) {
  const words = model.words.payments.charge;
  const { code, pay_url: payUrl, qr_code: text, qr_code_base64: png } = charge;
  return (
    <section class="payable" aria-label={words.copyAndPaste}>
      {png === null ? null : (
        <img src={`data:image/png;base64,${png}`} alt={words.qr(code)} width={180} height={180} />
      )}
      <div>
        <h3>{words.copyAndPaste}</h3>
        <pre tabIndex={0} aria-label={words.copyAndPaste}>
          {text}
        </pre>
        <CopyButton model={model} text={text} label={words.copyCode} />{' '}
        <a href={pathOf(payUrl)} target="_blank" rel="noopener noreferrer">
          {words.payPage}
        </a>
      </div>
    </section>
  );
}

/** The path alone: this browser may reach the sandbox at another address than the sandbox knows. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

function ChargeFacts({ model, charge }: { model: Console; charge: ChargeView }) {
  const { payments } = model.words;
  const { fees, payer_name: name, payer_document: document } = charge;
  return (
    <Facts
      model={model}
      facts={[
        ['id', charge.id],
        ['fees', `${fees.provider_fee} + ${fees.partner_fee}, ${payments.net(fees.net_amount)}`],
        ['payer', [name, document].filter(Boolean).join(', ')],
        ['reason', charge.reason],
        ['account', charge.account_id],
        ['created', model.words.instant(charge.created_at)],
        ['expires', model.words.instant(charge.expires_at)],
        ['metadata', metadataList(charge.metadata)],
      ]}
    />
  );
}

/** The metadata of a payment, one entry on each line; undefined where there is none. */
export function metadataList(metadata: ChargeView['metadata']): Child {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return undefined;
  return (
    <ul>
      {entries.map(([key, value]) => (
        <li key={key}>
          {key}={value}
        </li>
      ))}
    </ul>
  );
}

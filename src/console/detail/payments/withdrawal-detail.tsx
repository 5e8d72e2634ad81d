import { DEFAULT_FAILURE_REASON } from '../../../contract/failure-reasons.js';
import type { WithdrawalView } from '../../../http/control/schema.js';
import { Ending } from '../../live/live-row.js';
import type { Console } from '../../model/console.js';
import { toneOfState } from '../../model/rows.js';
import { metadataList } from './charge-detail.js';
import { Facts, Ready } from '../loaded.js';
import { withdrawalMoves } from './payment-actions.js';
import { History, Moves } from './payment-parts.js';

/** A withdrawal: where it goes, what the bank can do with it, and what happened to it. `id` may be its code, too. */
export function WithdrawalDetail({ model, id }: { model: Console; id: string }) {
  const { payments } = model.words;
  const loaded = model.resources.read(
    `withdrawal ${id}`,
    (client) => client.get('withdrawals/:id', { id }),
    (entry) => entry.resource === 'withdrawal' && (entry.code === id || entry.id?.startsWith(id) === true),
  );
  return (
    <Ready model={model} loaded={loaded}>
      {(withdrawal) => (
        <article>
          <h2>
            {withdrawal.code}{' '}
            <Ending outcome={{ text: withdrawal.status, tone: toneOfState(withdrawal.status) }} />
          </h2>
          <p class="total">{withdrawal.amount} BRL</p>
          <Moves
            model={model}
            moves={withdrawalMoves(model.words, withdrawal)}
            buttons={payments.withdrawal.moves}
            noReason={`${DEFAULT_FAILURE_REASON} (${payments.byDefault})`}
          />
          <WithdrawalFacts model={model} withdrawal={withdrawal} />
          <History model={model} id={withdrawal.id} />
        </article>
      )}
    </Ready>
  );
}

function WithdrawalFacts({ model, withdrawal }: { model: Console; withdrawal: WithdrawalView }) {
  const { payments } = model.words;
  const { destination } = withdrawal;
  const beneficiary = [destination.beneficiary_name, destination.beneficiary_document];
  return (
    <Facts
      model={model}
      facts={[
        ['id', withdrawal.id],
        ['fee', `${withdrawal.fee}, ${payments.net(withdrawal.net_amount)}`],
        ['to', `${destination.pix_key} (${destination.pix_key_type})`],
        ['beneficiary', beneficiary.filter(Boolean).join(', ')],
        ['reason', withdrawal.reason],
        ['account', withdrawal.account_id],
        ['created', model.words.instant(withdrawal.created_at)],
        ['metadata', metadataList(withdrawal.metadata)],
      ]}
    />
  );
}

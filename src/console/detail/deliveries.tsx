import type { DeliveryLine } from '../../http/control/schema.js';
import { Link } from '../frame/link.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { toneOfState } from '../model/rows.js';

/** Deliveries by where they go, each with its state. */
export function Deliveries({ model, deliveries }: { model: Console; deliveries: readonly DeliveryLine[] }) {
  if (deliveries.length === 0) return null;
  return (
    <>
      <h3>{model.words.detail.deliveries}</h3>
      <ul>
        {deliveries.map(({ id, event_type: type, endpoint_name: name, status }) => (
          <li key={id}>
            <Link model={model} to={`/deliveries/${id}`}>
              {type} → {name ?? '–'}
            </Link>{' '}
            <Ending outcome={{ text: status, tone: toneOfState(status) }} />
          </li>
        ))}
      </ul>
    </>
  );
}

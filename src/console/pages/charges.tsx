import { Ready } from '../detail/loaded.js';
import { Link } from '../frame/link.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { toneOfState } from '../model/rows.js';
import { instant } from '../words/format.js';

const ROWS = 50;

/** The newest charges. */
export function ChargesPage({ model }: { model: Console }) {
  const { words } = model;
  const loaded = model.resources.read(
    'charges',
    (client) => client.get('charges', { limit: ROWS }),
    ({ resource }) => resource === 'charge',
  );
  return (
    <>
      <h2>{words.sections.charges}</h2>
      <Ready model={model} loaded={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="empty">{words.none}</p>
          ) : (
            <table class="list">
              <tbody>
                {data.map((charge) => (
                  <tr key={charge.id}>
                    <th scope="row">
                      <Link model={model} to={`/charges/${charge.id}`}>
                        {charge.code}
                      </Link>
                    </th>
                    <td class="amount">{charge.amount}</td>
                    <td>
                      <Ending outcome={{ text: charge.status, tone: toneOfState(charge.status) }} />
                    </td>
                    <td>{instant(charge.created_at)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Ready>
    </>
  );
}

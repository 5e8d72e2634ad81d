import type { CustomerType } from '../../../contract/customer-types.js';
import { CUSTOMER_TYPES } from '../../../contract/customer-types.js';
import type { EntryView } from '../../../http/control/schema.js';
import { Ready } from '../../detail/loaded.js';
import { AppField } from '../../frame/app-field.js';
import { fieldOf } from '../../frame/form.js';
import { Link } from '../../frame/link.js';
import { Ending } from '../../live/live-row.js';
import type { Console } from '../../model/console.js';
import { toneOfState } from '../../model/rows.js';
import { identityActions, namedSession } from './actions.js';
import { OpenPage } from './open-page.js';

const ROWS = 50;

/** Whether a session may have changed; some steps of its page are calls alone. */
export function changesSessions({ kind, resource, command }: EntryView): boolean {
  return resource === 'session' || kind === 'clock' || command?.startsWith('session.') === true;
}

/** The newest identity sessions. */
export function IdentityPage({ model }: { model: Console }) {
  const { words } = model;
  const loaded = model.resources.read(
    'sessions',
    (client) => client.get('kyc/sessions', { limit: ROWS }),
    changesSessions,
  );
  return (
    <>
      <h2>{words.sections.identity}</h2>
      <NewSession model={model} />
      <Ready model={model} loaded={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="empty">{words.identity.none}</p>
          ) : (
            <ul class="cards">
              {data.map((session) => (
                <li key={session.id}>
                  <p>
                    <Link model={model} to={`/identity/${namedSession(session.id)}`}>
                      {namedSession(session.id)}
                    </Link>{' '}
                    {session.customer_type}{' '}
                    <Ending outcome={{ text: session.status, tone: toneOfState(session.status) }} />
                  </p>
                  <p>
                    <time>{model.words.instant(session.created_at)}</time>{' '}
                    <OpenPage model={model} session={session} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Ready>
    </>
  );
}

function NewSession({ model }: { model: Console }) {
  const { identity: words } = model.words;
  const send = (event: Event) => {
    event.preventDefault();
    const { create } = identityActions(model.words);
    void model.act(create(fieldOf(event, 'type') as CustomerType, fieldOf(event, 'app') || undefined));
  };
  return (
    <form class="inline" onSubmit={send}>
      <label>
        {words.type}{' '}
        <select name="type">
          {CUSTOMER_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </label>
      <AppField model={model} />
      <button type="submit" class="main">
        {words.create}
      </button>
    </form>
  );
}

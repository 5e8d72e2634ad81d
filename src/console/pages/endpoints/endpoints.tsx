import type { DeliveryLine, EndpointView, PageView } from '../../../http/control/schema.js';
import { Ready } from '../../detail/loaded.js';
import { ActionButton } from '../../frame/action-button.js';
import { Link } from '../../frame/link.js';
import { Ending } from '../../live/live-row.js';
import type { Console } from '../../model/console.js';
import { endpointActions } from './actions.js';
import { NewEndpointForm } from './new-endpoint.js';
import { EndpointSecret, stateOf } from './parts.js';
import { readStatus, targetOf } from './status.js';

/** Endpoints and listeners, whether they take anything now, and what is held for them. */
export function EndpointsPage({ model }: { model: Console }) {
  const { words } = model;
  const actions = endpointActions(words, model.secrets);
  const pending = model.resources.read(
    'pending deliveries',
    (client) => client.get('deliveries', { status: 'PENDING' }),
    ({ kind }) => kind === 'delivery' || kind === 'listener' || kind === 'clock' || kind === 'command',
  ).value;
  return (
    <>
      <h2>{words.sections.endpoints}</h2>
      <Ready model={model} loaded={readStatus(model)}>
        {({ endpoints, deliveries_paused: isPaused }) => (
          <>
            <div class="buttons">
              <ActionButton
                model={model}
                action={isPaused ? actions.resume : actions.pause}
                label={isPaused ? words.endpoints.resume : words.endpoints.pause}
              />
            </div>
            {isPaused ? <p class="problem">{words.endpoints.isPaused}</p> : null}
            <NewEndpointForm model={model} />
            {endpoints.length === 0 ? <p class="empty">{words.endpoints.none}</p> : null}
            <ul class="cards">
              {endpoints.map((endpoint) => (
                <EndpointCard key={endpoint.id} model={model} endpoint={endpoint} pending={pending} />
              ))}
            </ul>
          </>
        )}
      </Ready>
    </>
  );
}

function EndpointCard({
  model,
  endpoint,
  pending,
}: {
  model: Console;
  endpoint: EndpointView;
  pending: PageView<DeliveryLine> | undefined;
}) {
  const { words } = model;
  const held = heldFor(endpoint, pending);
  return (
    <li aria-label={targetOf(endpoint)}>
      <p>
        <Link model={model} to={`/endpoints/${endpoint.id}`}>
          {targetOf(endpoint)}
        </Link>{' '}
        <Ending outcome={stateOf(words, endpoint)} />{' '}
        {held === undefined ? null : <span class="waiting">{words.endpoints.heldCount(held)}</span>}
      </p>
      <p class="faint">{endpoint.events.join(', ')}</p>
      <EndpointSecret model={model} id={endpoint.id} />
    </li>
  );
}

/** How many deliveries wait for it that nothing but a person lets go; of many, those on the first page. */
function heldFor({ id }: EndpointView, pending: PageView<DeliveryLine> | undefined): string | undefined {
  const held = (pending?.data ?? []).filter(
    (one) => one.endpoint_id === id && one.blocked_by !== null,
  ).length;
  if (held === 0) return undefined;
  return pending?.paging.after == null ? String(held) : `${held}+`;
}

import type { EndpointView } from '../../http/control/schema.js';
import { ActionButton } from '../frame/action-button.js';
import { Link } from '../frame/link.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { closedPath } from '../model/routes.js';
import { toneOfState } from '../model/rows.js';
import { endpointActions } from '../pages/endpoints/actions.js';
import { EndpointSecret, stateOf } from '../pages/endpoints/parts.js';
import { readStatus, targetOf } from '../pages/endpoints/status.js';
import { Facts, Ready } from './loaded.js';

const NEWEST = 20;

/** An endpoint or listener, what can be done with it, and its newest deliveries. */
export function EndpointDetail({ model, id }: { model: Console; id: string }) {
  const { words } = model;
  return (
    <Ready model={model} loaded={readStatus(model)}>
      {({ endpoints }) => {
        const endpoint = endpoints.find((one) => one.id === id);
        if (endpoint === undefined) {
          return (
            <p class="problem" role="alert">
              {words.endpoints.missing}
            </p>
          );
        }
        return (
          <article>
            <h2>
              {targetOf(endpoint)} <Ending outcome={stateOf(words, endpoint)} />
            </h2>
            <EndpointButtons model={model} endpoint={endpoint} />
            <EndpointSecret model={model} id={id} />
            <Facts
              model={model}
              facts={[
                ['id', id],
                ['events', endpoint.events.join(', ')],
                ['description', endpoint.description],
                ['created', model.words.instant(endpoint.created_at)],
                ['retries', endpoint.retries],
              ]}
            />
            <EndpointDeliveries model={model} id={id} />
          </article>
        );
      }}
    </Ready>
  );
}

function EndpointButtons({ model, endpoint }: { model: Console; endpoint: EndpointView }) {
  const { endpoints: words } = model.words;
  const { id, status, transport } = endpoint;
  const actions = endpointActions(model.words, model.secrets);
  const isActive = status === 'ACTIVE';
  return (
    <div class="buttons">
      <ActionButton model={model} action={actions.retryFailed(id)} label={words.retryFailed} />
      <ActionButton
        model={model}
        action={isActive ? actions.disable(id) : actions.enable(id)}
        label={isActive ? words.disable : words.enable}
      />
      {transport === 'http' ? (
        <ActionButton model={model} action={actions.rotate(id)} label={words.rotate} />
      ) : null}
      <ActionButton
        model={model}
        action={actions.delete(id)}
        label={words.delete}
        asks={words.deleteAsks(targetOf(endpoint))}
        next={closedPath(model.route, location)}
      />
    </div>
  );
}

function EndpointDeliveries({ model, id }: { model: Console; id: string }) {
  const loaded = model.resources.read(
    `deliveries to ${id}`,
    (client) => client.get('deliveries', { endpoint: id, limit: NEWEST }),
    ({ kind }) => kind === 'delivery' || kind === 'attempt',
  );
  return (
    <Ready model={model} loaded={loaded}>
      {({ data }) =>
        data.length === 0 ? (
          <p class="empty">{model.words.none}</p>
        ) : (
          <>
            <h3>{model.words.endpoints.newest}</h3>
            <ul>
              {data.map(({ id: delivery, event_type: type, resource, status, attempts: count }) => (
                <li key={delivery}>
                  <Link model={model} to={`/deliveries/${delivery}`}>
                    {type} {resource.code}
                  </Link>{' '}
                  <Ending outcome={{ text: status, tone: toneOfState(status) }} />{' '}
                  <span class="faint">{model.words.endpoints.attempts(count)}</span>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Ready>
  );
}

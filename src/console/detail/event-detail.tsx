import { CopyButton } from '../frame/copy-button.js';
import type { Console } from '../model/console.js';
import { Deliveries } from './deliveries.js';
import { Facts, Ready } from './loaded.js';

/** An event: the body that was signed, and its deliveries. */
export function EventDetail({ model, id }: { model: Console; id: string }) {
  const { words } = model;
  const loaded = model.resources.read(
    `event ${id}`,
    (client) => client.get('events/:id', { id }),
    (entry) => entry.event_id === id || entry.id === id,
  );
  const resend = {
    done: words.detail.resent,
    command: `events resend ${id}`,
    run: (client: Console['client']) => client.post('events/:id/resend', { id }),
  };
  return (
    <Ready model={model} loaded={loaded}>
      {(event) => (
        <article>
          <h2>
            {event.type} {event.resource.code}
          </h2>
          <div class="buttons">
            <button type="button" onClick={() => void model.act(resend)}>
              {words.detail.resend}
            </button>
          </div>
          <Facts
            facts={[
              ['id', event.id],
              ['at', event.created_at],
              [event.resource.type, event.resource.id],
            ]}
          />
          {event.deliveries.length === 0 ? <p class="empty">{words.detail.noDeliveries}</p> : null}
          <Deliveries model={model} deliveries={event.deliveries} />
          <h3>{words.detail.payload}</h3>
          <pre tabIndex={0} aria-label={words.detail.payload}>
            {JSON.stringify(event.payload, null, 2)}
          </pre>
          <CopyButton model={model} text={JSON.stringify(event.payload)} />
        </article>
      )}
    </Ready>
  );
}

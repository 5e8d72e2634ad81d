import type { EventView } from '../../http/control/schema.js';
import { CopyButton } from '../frame/copy-button.js';
import { fieldOf } from '../frame/form.js';
import type { Console } from '../model/console.js';
import { resendAction } from './actions.js';
import { Deliveries } from './deliveries.js';
import { Facts, Ready } from './loaded.js';
import { laidOut } from './message.js';
import { readBody, readEvent } from './reads.js';

/** An event: the body that was signed, and its deliveries. */
export function EventDetail({ model, id }: { model: Console; id: string }) {
  const { words } = model;
  const body = readBody(model, id).value;
  return (
    <Ready model={model} loaded={readEvent(model, id)}>
      {(event) => (
        <article>
          <h2>
            {event.type} {event.resource.code}
          </h2>
          <Resend model={model} event={event} />
          <Facts
            model={model}
            facts={[
              ['id', event.id],
              ['at', event.created_at],
              [event.resource.type, event.resource.id],
            ]}
          />
          {event.deliveries.length === 0 ? <p class="empty">{words.detail.noDeliveries}</p> : null}
          <Deliveries model={model} deliveries={event.deliveries} />
          <h3>{words.detail.payload}</h3>
          {body === undefined ? null : (
            <>
              <pre tabIndex={0} aria-label={words.detail.payload}>
                {laidOut(body)}
              </pre>
              <CopyButton model={model} text={body} />
            </>
          )}
        </article>
      )}
    </Ready>
  );
}

/** Sends the event again, to all that take it or to one. */
function Resend({ model, event }: { model: Console; event: EventView }) {
  const { detail } = model.words;
  const send = (submit: Event) => {
    submit.preventDefault();
    void model.act(resendAction(model.words, event.id, fieldOf(submit, 'endpoint') || undefined));
  };
  const { value: endpoints } = model.resources.read(
    'recipients',
    (client) => client.get('endpoints'),
    ({ kind, resource }) => kind === 'listener' || resource === 'endpoint',
  );
  return (
    <form class="buttons" onSubmit={send}>
      <button type="submit" data-key="r">
        {detail.resend}
      </button>
      <label>
        {detail.resendTo}{' '}
        <select name="endpoint">
          <option value="">{detail.toAll}</option>
          {endpoints?.data
            .filter(({ status }) => status === 'ACTIVE')
            .map(({ id, description, url }) => (
              <option key={id} value={id}>
                {description ?? url}
              </option>
            ))}
        </select>
      </label>
    </form>
  );
}

import type { DeliveryLine, EndpointView, PageView } from '../../http/control/schema.js';
import { appChoices, endpointForm } from '../model/forms.js';
import { readApps, readStatus, targetOf } from '../model/reads.js';
import { closedPath } from '../model/routes.js';
import type { Outcome } from '../model/rows.js';
import { Form } from './form.js';
import { ActionButton, DeliveryList, Ending, Facts, Link, Problem, ready, Secret } from './parts.js';
import { actions, context, model, words } from './screen.js';

const NEWEST = 20;

/** Endpoints and listeners, whether they accept anything now, and what is held for them. */
export function EndpointsPage() {
  const { endpoints: texts, sections } = words;
  const pending = model.resources.read(
    'pending deliveries',
    (client) => client.get('deliveries', { status: 'PENDING' }),
    ({ kind }) => kind === 'delivery' || kind === 'listener' || kind === 'clock' || kind === 'command',
  ).value;
  return (
    <>
      <h2>{sections.endpoints}</h2>
      {ready(readStatus(model), ({ endpoints, deliveries_paused: isPaused }) => (
        <>
          <div class="buttons">
            <ActionButton
              action={isPaused ? actions.deliveries.resume : actions.deliveries.pause}
              label={isPaused ? texts.resume : texts.pause}
            />
          </div>
          {isPaused ? <p class="problem">{texts.isPaused}</p> : null}
          <details class="form">
            <summary>{texts.add}</summary>
            <Form
              form={endpointForm(context, appChoices(readApps(model).value?.data))}
              resets
              onDone={keepSecret}
            />
          </details>
          {endpoints.length === 0 ? <p class="empty">{texts.none}</p> : null}
          <ul class="cards">
            {endpoints.map((endpoint) => (
              <EndpointCard key={endpoint.id} endpoint={endpoint} held={heldFor(endpoint, pending)} />
            ))}
          </ul>
        </>
      ))}
    </>
  );
}

function EndpointCard({ endpoint, held }: { endpoint: EndpointView; held: string | undefined }) {
  const target = targetOf(endpoint);
  return (
    <li aria-label={target}>
      <p>
        <Link to={`/endpoints/${endpoint.id}`}>{target}</Link> <Ending {...connectionOf(endpoint)} />{' '}
        {held === undefined ? null : <span class="waiting">{words.endpoints.heldCount(held)}</span>}
      </p>
      <p class="faint">{endpoint.events.join(', ')}</p>
      <EndpointSecret id={endpoint.id} />
    </li>
  );
}

/** How many of its deliveries only a person can release; of many, those on the first page. */
function heldFor({ id }: EndpointView, pending: PageView<DeliveryLine> | undefined): string | undefined {
  const held = (pending?.data ?? []).filter(
    (one) => one.endpoint_id === id && one.blocked_by !== null,
  ).length;
  if (held === 0) return undefined;
  return pending?.paging.after == null ? String(held) : `${held}+`;
}

/** Whether an endpoint accepts anything now. */
function connectionOf({ status, transport, connected }: EndpointView): Outcome {
  const { endpoints: texts } = words;
  if (status !== 'ACTIVE') return { text: status, tone: 'bad' };
  if (transport === 'http') return { text: status, tone: 'good' };
  return connected === true
    ? { text: `${texts.listener}, ${texts.connected}`, tone: 'good' }
    : { text: `${texts.listener}, ${texts.away}`, tone: 'waiting' };
}

/** Stores a new secret, which no other response shows again. */
function keepSecret({ id, secret }: { readonly id: string; readonly secret: string }): void {
  model.secrets.set(id, secret);
}

/** The secret that this page received for an endpoint. */
function EndpointSecret({ id }: { id: string }) {
  const { endpoints: texts } = words;
  const secret = model.secrets.get(id);
  if (secret === undefined) return null;
  return (
    <p>
      <Secret key={secret} name={texts.secret} value={secret} /> <span class="faint">{texts.secretHint}</span>
    </p>
  );
}

/** An endpoint or listener, what can be done with it, and its newest deliveries. */
export function EndpointDetail({ id }: { id: string }) {
  const { endpoints: texts } = words;
  return ready(readStatus(model), ({ endpoints }) => {
    const endpoint = endpoints.find((one) => one.id === id);
    if (endpoint === undefined) return <Problem>{texts.missing}</Problem>;
    return (
      <article>
        <h2>
          {targetOf(endpoint)} <Ending {...connectionOf(endpoint)} />
        </h2>
        <EndpointButtons endpoint={endpoint} />
        <EndpointSecret id={id} />
        <Facts
          of={[
            ['id', id],
            ['events', endpoint.events.join(', ')],
            ['description', endpoint.description],
            ['created', words.instant(endpoint.created_at)],
            ['retries', endpoint.retries],
          ]}
        />
        <EndpointDeliveries id={id} />
      </article>
    );
  });
}

function EndpointButtons({ endpoint }: { endpoint: EndpointView }) {
  const { endpoints: texts } = words;
  const { id, status, transport } = endpoint;
  const isActive = status === 'ACTIVE';
  return (
    <div class="buttons">
      <ActionButton
        action={actions.deliveries.retryFailed({ endpoint: id }, texts.retried)}
        label={texts.retryFailed}
      />
      <ActionButton
        action={isActive ? actions.endpoints.disable(id) : actions.endpoints.enable(id)}
        label={isActive ? texts.disable : texts.enable}
      />
      {transport === 'http' ? (
        <ActionButton action={actions.endpoints.rotate(id)} label={texts.rotate} onDone={keepSecret} />
      ) : null}
      <ActionButton
        action={actions.endpoints.delete(id)}
        label={texts.delete}
        asks={texts.deleteAsks(targetOf(endpoint))}
        onDone={() => model.go(closedPath(model.route, location))}
      />
    </div>
  );
}

function EndpointDeliveries({ id }: { id: string }) {
  const { endpoints: texts } = words;
  const loaded = model.resources.read(
    `deliveries to ${id}`,
    (client) => client.get('deliveries', { endpoint: id, limit: NEWEST }),
    ({ kind }) => kind === 'delivery' || kind === 'attempt',
  );
  return ready(loaded, ({ data }) =>
    data.length === 0 ? (
      <p class="empty">{words.none}</p>
    ) : (
      <DeliveryList
        title={texts.newest}
        rows={data}
        text={({ event_type: type, resource }) => `${type} ${resource.code}`}
        more={({ attempts }) => texts.attempts(attempts)}
      />
    ),
  );
}

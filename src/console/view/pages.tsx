import { FAULTS } from '../../contract/fault-kinds.js';
import { isDisabled } from '../../contract/transitions.js';
import type { EndpointView, FaultView, SessionView } from '../../http/control/schema.js';
import { deliveries, endpoints, faults, sessionName } from '../model/actions.js';
import { type Choice, decisionForm, endpointForm, faultForm, sessionForm } from '../model/forms.js';
import { closedPath } from '../model/routes.js';
import { words } from '../words.js';
import { Form } from './form.js';
import { actionButton, apps, article, button, deliveryList, empty, facts, faint, link } from './parts.js';
import { problem, ready, Secret, section, stateOf, table, targetOf, toned } from './parts.js';
import { model } from './screen.js';

/** Endpoints and listeners, whether they accept anything now, and what is held for them. */
export function EndpointsPage() {
  const { endpoints: texts } = words;
  const pending = model.resources.get('deliveries', { status: 'PENDING' }).value;
  /** Counts deliveries only a person can release, on the first page. */
  const heldFor = ({ id }: EndpointView) => {
    const isHeld = (by: string | null) => by !== null && by !== 'frozen';
    const blocked = pending?.data.filter((one) => one.endpoint_id === id && isHeld(one.blocked_by)) ?? [];
    return blocked.length === 0
      ? ''
      : texts.held(`${blocked.length}${pending?.paging.after == null ? '' : '+'}`);
  };
  return ready(model.resources.get('status'), ({ endpoints: rows, deliveries_paused: isPaused }) => (
    <>
      {isPaused ? actionButton(texts.resume, deliveries.resume) : actionButton(texts.pause, deliveries.pause)}
      {isPaused ? <p class="problem">{texts.isPaused}</p> : null}
      <details>
        <summary>{texts.add}</summary>
        <Form form={endpointForm(apps())} resets onDone={keepSecret} />
      </details>
      {table(rows, [
        ['to', (row) => [link(`/endpoints/${row.id}`, targetOf(row)), secretOf(row)]],
        'events',
        ['status', (row) => [connectionOf(row), ' ', <span class="waiting">{heldFor(row)}</span>]],
      ])}
    </>
  ));
}

/** Describes whether an endpoint currently accepts deliveries. */
function connectionOf({ status, transport, connected }: EndpointView) {
  const { endpoints: texts } = words;
  if (isDisabled(status) || transport === 'http') return stateOf(status);
  return toned(connected === true ? texts.connected : texts.away, connected === true, 'waiting');
}

/** Stores a new secret, which no other response shows again. */
function keepSecret({ id, secret }: { readonly id: string; readonly secret: string }): void {
  model.secrets.set(id, secret);
}

/** The secret that this page received for an endpoint. */
function secretOf({ id }: EndpointView) {
  const secret = model.secrets.get(id);
  return secret === undefined ? null : (
    <p>
      <Secret key={secret} name={words.endpoints.secret} value={secret} /> {faint(words.endpoints.secretHint)}
    </p>
  );
}

export function EndpointDetail({ id }: { id: string }) {
  const { endpoints: texts, detail } = words;
  const sent = model.resources.get('deliveries', { endpoint: id, limit: 20 });
  return ready(model.resources.get('status'), ({ endpoints: all }) => {
    const endpoint = all.find((one) => one.id === id);
    if (endpoint === undefined) return problem(texts.missing);
    const target = targetOf(endpoint);
    return article(
      [target, connectionOf(endpoint)],
      [
        actionButton(texts.retryFailed, deliveries.retryFailed({ endpoint: id })),
        !isDisabled(endpoint.status)
          ? actionButton(texts.disable, endpoints.disable(id))
          : actionButton(texts.enable, endpoints.enable(id)),
        endpoint.transport === 'http' &&
          actionButton(texts.rotate, endpoints.rotate(id), { onDone: keepSecret }),
        actionButton(texts.delete, endpoints.delete(id), {
          asks: texts.deleteAsks(target),
          onDone: () => model.go(closedPath(model.route, location)),
        }),
      ],
      secretOf(endpoint),
      facts(['id', 'events', 'description', 'created_at', 'retries'], endpoint),
      section(
        texts.newest,
        ready(sent, ({ data }) =>
          deliveryList(
            data,
            ({ event_type: type, resource }) => `${type} ${resource.code}`,
            ({ attempts }) => `${detail.attempts}: ${attempts}`,
          ),
        ),
      ),
    );
  });
}

/** The faults, how often each fired, and a form for another one, which the address may fill in. */
export function FaultsPage() {
  const { faults: texts } = words;
  const wanted = new URLSearchParams(location.search);
  const targets = model.resources.get('endpoints').value?.data ?? [];
  const choices = targets.map((endpoint): Choice => [endpoint.id, targetOf(endpoint)]);
  return (
    <>
      <details key={location.search} open={wanted.has('path')}>
        <summary>{texts.add}</summary>
        <Form form={faultForm(choices, wanted)} resets />
      </details>
      {ready(model.resources.get('faults'), ({ data }) => [
        table(data, [
          [
            'fault',
            ({ on, action }) => [
              <strong>{action}</strong>,
              <p class="faint">{FAULTS[on][action]?.meaning}</p>,
            ],
          ],
          ['matches', matchOf],
          [
            'fired',
            ({ fired, seen }) => (
              <span class={fired > 0 ? 'bad' : 'waiting'}>{texts.fired(fired, seen)}</span>
            ),
          ],
          ['actions', ({ id, action }) => actionButton(texts.remove, faults.remove(id), { of: action })],
        ]),
        data.length === 0 ? null : actionButton(texts.removeAll, faults.removeAll),
      ])}
    </>
  );
}

function matchOf(fault: FaultView): string {
  const { id: _id, action: _action, seen: _seen, fired: _fired, probability, on, ...rest } = fault;
  const given = Object.entries(rest).filter(([, value]) => value !== null);
  const chance = probability === 1 ? [] : [`${words.names.probability} ${probability}`];
  return [words.faults[on], ...given.map(([name, value]) => `${name} ${value}`), ...chance].join(', ');
}

export function IdentityPage() {
  return (
    <>
      <Form form={sessionForm(apps())} isInline />
      {ready(model.resources.get('kyc/sessions', { limit: 50 }), ({ data }) =>
        table(data, [
          ['session', ({ id }) => link(`/identity/${sessionName(id)}`, sessionName(id))],
          'customer_type',
          'status',
          'created_at',
          ['actions', openPage],
        ]),
      )}
    </>
  );
}

/** Opens a session's page in another tab; a button, because a link would show its address, a credential. */
function openPage({ id, url }: SessionView) {
  const open = () => void window.open(url, '_blank', 'noopener,noreferrer');
  return button(words.identity.openPage, open, { of: sessionName(id) });
}

export function SessionDetail({ id }: { id: string }) {
  const { identity, names } = words;
  return ready(model.resources.get('kyc/sessions/:id', { id }), (session) => {
    const form = decisionForm(session);
    return article(
      [`${names.session} ${sessionName(session.id)}`, stateOf(session.status)],
      [openPage(session)],
      facts(
        [
          'customer_type',
          'visible_status',
          'created_at',
          'expires_at',
          'decided_at',
          'readable_at',
          'name',
          'document',
          'euid',
          'error',
          'embed_origin',
        ],
        session,
      ),
      form === undefined ? empty(identity.isOver) : <Form key={session.id + session.status} form={form} />,
    );
  });
}

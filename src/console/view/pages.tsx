import { EVENT_TYPES } from '../../contract/enums.js';
import { FAULTS } from '../../contract/fault-kinds.js';
import { isDisabled } from '../../contract/transitions.js';
import type { EndpointView, FaultView, IncidentView, SessionView } from '../../http/control/schema.js';
import {
  deliveryActions,
  endpointActions,
  identityActions,
  faultActions,
  formatSessionName,
  incidentActions,
} from '../model/actions.js';
import {
  type FieldChoice,
  createDecisionForm,
  listDecisions,
  createEndpointForm,
  createFaultForm,
  createSessionForm,
} from '../model/forms.js';
import { getClosedPath } from '../model/routes.js';
import { consoleTexts } from '../words.js';
import { FORWARD_COMMAND } from './first-steps.js';
import { ActionForm } from './form.js';
import {
  renderActionButton,
  listAppChoices,
  renderArticle,
  renderButton,
  renderCommand,
  renderDeliveryList,
  renderEmpty,
  renderFacts,
  renderFaint,
  renderLink,
  renderSummary,
  type TableColumn,
} from './parts.js';
import {
  renderProblem,
  renderReady,
  Secret,
  renderSection,
  renderState,
  renderTable,
  formatTarget,
  renderToned,
} from './parts.js';
import { model } from './screen.js';

/** Lists endpoints and listeners, with their connection state and held deliveries. */
export function EndpointsPage() {
  const { endpoints: texts } = consoleTexts;
  const pending = model.resources.get('deliveries', { status: 'PENDING' }).value;
  /** Counts the first page's deliveries that only a user can resume. */
  const heldFor = ({ id }: EndpointView) => {
    const isHeld = (by: string | null) => by !== null && by !== 'frozen' && by !== 'fault';
    const blocked = pending?.data.filter((one) => one.endpoint_id === id && isHeld(one.blocked_by)) ?? [];
    return blocked.length === 0
      ? ''
      : texts.held(`${blocked.length}${pending?.paging.after == null ? '' : '+'}`);
  };
  return renderReady(model.resources.get('status'), (status) => {
    const { endpoints: rows, deliveries: counts, deliveries_paused: isPaused } = status;
    const { DELIVERED: delivered = 0, PENDING: waiting = 0, FAILED: failed = 0 } = counts;
    return (
      <>
        {renderSummary([
          [texts.delivered, delivered],
          [texts.waiting, waiting, waiting > 0 ? 'waiting' : 'plain'],
          [texts.failed, failed, failed > 0 ? 'bad' : 'plain'],
        ])}
        <div class="tools">
          {isPaused
            ? renderActionButton(texts.resume, deliveryActions.resume)
            : renderActionButton(texts.pause, deliveryActions.pause)}
          {failed === 0 ? null : renderActionButton(texts.retryFailed, deliveryActions.retryFailed({}))}
        </div>
        {isPaused ? <p class="problem">{texts.isPaused}</p> : null}
        <details class="card">
          <summary>{texts.add}</summary>
          <ActionForm form={createEndpointForm(listAppChoices())} resets onDone={storeSecret} />
        </details>
        {renderTable(
          rows,
          [
            ['to', (row) => [renderLink(`/endpoints/${row.id}`, formatTarget(row)), secretOf(row)]],
            ['events', eventsOf],
            ['status', (row) => [connectionOf(row), ' ', <span class="waiting">{heldFor(row)}</span>]],
            [
              'actions',
              (row) =>
                isDisabled(row.status)
                  ? renderActionButton(texts.enable, endpointActions.enable(row.id), {
                      of: formatTarget(row),
                    })
                  : renderActionButton(texts.disable, endpointActions.disable(row.id), {
                      of: formatTarget(row),
                    }),
            ],
          ],
          { action: renderCommand(FORWARD_COMMAND) },
        )}
      </>
    );
  });
}

/** Lists an endpoint's events, or says that the endpoint receives all events. */
function eventsOf({ events }: EndpointView): string {
  return events.length === EVENT_TYPES.length ? consoleTexts.endpoints.all : events.join(', ');
}

/** Describes whether an endpoint currently accepts deliveries. */
function connectionOf({ status, transport, connected }: EndpointView) {
  const { endpoints: texts } = consoleTexts;
  if (isDisabled(status) || transport === 'http') return renderState(status);
  return renderToned(connected === true ? texts.connected : texts.away, connected === true, 'waiting');
}

/** Stores a new secret, because the API returns each secret only once. */
function storeSecret({ id, secret }: { readonly id: string; readonly secret: string }): void {
  model.secrets.set(id, secret);
}

/** Returns the endpoint's secret if this page received it. */
function secretOf({ id }: EndpointView) {
  const secret = model.secrets.get(id);
  return secret === undefined ? null : (
    <p>
      <Secret key={secret} name={consoleTexts.endpoints.secret} value={secret} />{' '}
      {renderFaint(consoleTexts.endpoints.secretHint)}
    </p>
  );
}

export function EndpointDetail({ id }: { id: string }) {
  const { endpoints: texts, detail } = consoleTexts;
  const sent = model.resources.get('deliveries', { endpoint: id, limit: 20 });
  return renderReady(model.resources.get('status'), ({ endpoints: all }) => {
    const endpoint = all.find((one) => one.id === id);
    if (endpoint === undefined) return renderProblem(texts.missing);
    const target = formatTarget(endpoint);
    return renderArticle(
      [target, connectionOf(endpoint)],
      [
        renderActionButton(texts.retryFailed, deliveryActions.retryFailed({ endpoint: id })),
        !isDisabled(endpoint.status)
          ? renderActionButton(texts.disable, endpointActions.disable(id))
          : renderActionButton(texts.enable, endpointActions.enable(id)),
        endpoint.transport === 'http' &&
          renderActionButton(texts.rotate, endpointActions.rotate(id), { onDone: storeSecret }),
        renderActionButton(texts.delete, endpointActions.delete(id), {
          asks: texts.confirmDelete(target),
          onDone: () => model.go(getClosedPath(model.route, location)),
        }),
      ],
      secretOf(endpoint),
      renderFacts(['id', 'events', 'description', 'created_at', 'retries'], endpoint),
      renderSection(
        texts.newest,
        renderReady(sent, ({ data }) =>
          renderDeliveryList(
            data,
            ({ event_type: type, resource }) => `${type} ${resource.code}`,
            ({ attempts }) => `${detail.attempts}: ${attempts}`,
          ),
        ),
      ),
    );
  });
}

/** Lists faults and how often each fault fired. The URL can prefill the form for a new fault. */
export function FaultsPage() {
  const { faults: texts } = consoleTexts;
  const wanted = new URLSearchParams(location.search);
  const targets = model.resources.get('endpoints').value?.data ?? [];
  const choices = targets.map((endpoint): FieldChoice => [endpoint.id, formatTarget(endpoint)]);
  return (
    <>
      <div class="card">
        <details key={location.search} open={wanted.has('path')}>
          <summary>{texts.add}</summary>
          <ActionForm form={createFaultForm(choices, wanted)} resets />
        </details>
      </div>
      {renderReady(model.resources.get('faults'), ({ data }) => [
        renderTable(data, [
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
          [
            'actions',
            ({ id, action }) => renderActionButton(texts.remove, faultActions.remove(id), { of: action }),
          ],
        ]),
        data.length === 0 ? null : renderActionButton(texts.removeAll, faultActions.removeAll),
      ])}
      {renderReady(model.resources.get('incidents'), ({ data }) =>
        renderSection(texts.incidents, renderTable(data, INCIDENT_COLUMNS)),
      )}
    </>
  );
}

const INCIDENT_COLUMNS: readonly TableColumn<IncidentView>[] = [
  ['incident', ({ name, description }) => [<strong>{name}</strong>, <p class="faint">{description}</p>]],
  ['took', ({ duration }) => duration],
  ['until', ({ until }) => (until === null ? null : consoleTexts.instant(until))],
  [
    'actions',
    ({ name, running }) =>
      running
        ? renderActionButton(consoleTexts.faults.stop, incidentActions.stop(name), { of: name })
        : renderActionButton(consoleTexts.faults.start, incidentActions.start(name), { of: name }),
  ],
];

function matchOf(fault: FaultView): string {
  const { id: _id, action: _action, seen: _seen, fired: _fired, probability, on, ...rest } = fault;
  const given = Object.entries(rest).filter(([, value]) => value !== null);
  const chance = probability === 1 ? [] : [`${consoleTexts.names.probability} ${probability}`];
  return [consoleTexts.faults[on], ...given.map(([name, value]) => `${name} ${value}`), ...chance].join(', ');
}

export function IdentityPage() {
  return (
    <>
      <ActionForm
        form={createSessionForm(listAppChoices())}
        isInline
        onDone={({ id }) => model.go(`/identity/${formatSessionName(id)}`)}
      />
      {renderReady(model.resources.get('kyc/sessions', { limit: 50 }), ({ data }) =>
        renderTable(data, [
          ['session', ({ id }) => renderLink(`/identity/${formatSessionName(id)}`, formatSessionName(id))],
          'customer_type',
          'status',
          'created_at',
          ['actions', openPage],
        ]),
      )}
    </>
  );
}

/**
 * Opens a session's page in a new tab. Requires a button, because a link would reveal the URL, which is a
 * credential.
 */
function openPage({ id, url }: SessionView) {
  const open = () => void window.open(url, '_blank', 'noopener,noreferrer');
  return renderButton(consoleTexts.identity.openPage, open, { of: formatSessionName(id) });
}

export function SessionDetail({ id }: { id: string }) {
  const { identity, names } = consoleTexts;
  return renderReady(model.resources.get('kyc/sessions/:id', { id }), (session) => {
    const form = createDecisionForm(session);
    return renderArticle(
      [`${names.session} ${formatSessionName(session.id)}`, renderState(session.status)],
      [
        openPage(session),
        ...listDecisions(session.status).map((status) =>
          renderActionButton(status, identityActions.decide(session.id, { status })),
        ),
      ],
      renderFacts(
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
      form === undefined ? (
        renderEmpty(identity.isOver)
      ) : (
        <ActionForm key={session.id + session.status} form={form} />
      ),
    );
  });
}

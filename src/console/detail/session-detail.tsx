import { useState } from 'hono/jsx/dom';
import type { SessionStatus } from '../../contract/transitions.js';
import { isDecision, TRANSITIONS } from '../../contract/transitions.js';
import type { SessionView } from '../../http/control/schema.js';
import { fieldOf } from '../frame/form.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { toneOfState } from '../model/rows.js';
import { identityActions, namedSession } from '../pages/identity/actions.js';
import { changesSessions } from '../pages/identity/identity.js';
import { OpenPage } from '../pages/identity/open-page.js';
import { Facts, Ready } from './loaded.js';

const AN_ERROR = '';

/** An identity session, and the decision on it. */
export function SessionDetail({ model, id }: { model: Console; id: string }) {
  const loaded = model.resources.read(
    `session ${id}`,
    (client) => client.get('kyc/sessions/:id', { id }),
    changesSessions,
  );
  return (
    <Ready model={model} loaded={loaded}>
      {(session) => (
        <article>
          <h2>
            {model.words.identity.session} {namedSession(session.id)}{' '}
            <Ending outcome={{ text: session.status, tone: toneOfState(session.status) }} />
          </h2>
          <div class="buttons">
            <OpenPage model={model} session={session} />
          </div>
          <Facts
            model={model}
            facts={[
              ['customer', session.customer_type],
              ['visible', session.visible_status],
              ['created', model.words.instant(session.created_at)],
              ['expires', model.words.instant(session.expires_at)],
              ['decided', session.decided_at === null ? null : model.words.instant(session.decided_at)],
              ['readable', session.readable_at === null ? null : model.words.instant(session.readable_at)],
              ['name', session.name],
              ['document', session.document],
              ['euid', session.euid],
              ['error', session.error],
              ['origin', session.embed_origin],
            ]}
          />
          <Decide key={session.id} model={model} session={session} />
        </article>
      )}
    </Ready>
  );
}

/** Offers the decisions that the session's status allows, and before one is made an error. */
function Decide({ model, session }: { model: Console; session: SessionView }) {
  const { identity: words } = model.words;
  const next: readonly SessionStatus[] = TRANSITIONS.session[session.status];
  const statuses = next.filter(isDecision);
  const [status, choose] = useState<string | undefined>(undefined);
  if (statuses.length === 0) return <p class="empty">{words.isOver}</p>;
  const isError = status === AN_ERROR;
  const send = (event: Event) => {
    event.preventDefault();
    const given = (name: string) => fieldOf(event, name) || undefined;
    const decision = isError
      ? { error: given('error') }
      : { status: given('status'), document: given('document'), delay: given('delay') };
    void model.act(identityActions(model.words).decide(session.id, decision));
  };
  return (
    <form class="form" aria-label={words.decide} onSubmit={send}>
      <label>
        {words.decision}
        <select name="status" onChange={(event: Event) => choose((event.target as HTMLSelectElement).value)}>
          {statuses.map((one) => (
            <option key={one}>{one}</option>
          ))}
          {session.status === 'under_review' ? null : <option value={AN_ERROR}>{words.anError}</option>}
        </select>
      </label>
      {isError ? (
        <Field label={words.error} name="error" example="CAMERA_DENIED" isRequired />
      ) : (
        <>
          <Field label={words.document} name="document" example="529.982.247-25" />
          <Field label={words.delay} name="delay" example="5m" />
        </>
      )}
      <button type="submit" class="main">
        {words.decide}
      </button>
    </form>
  );
}

function Field({
  label,
  name,
  example,
  isRequired = false,
}: {
  label: string;
  name: string;
  example: string;
  isRequired?: boolean;
}) {
  return (
    <label>
      {label}
      <input name={name} placeholder={example} required={isRequired} autocomplete="off" />
    </label>
  );
}

import type { SessionView } from '../../http/control/schema.js';
import { sessionName } from '../model/actions.js';
import { appChoices, decisionForm, sessionForm } from '../model/forms.js';
import { readApps, readSession, readSessions } from '../model/reads.js';
import { Form } from './form.js';
import { Button, Facts, instantOf, Link, ready, State } from './parts.js';
import { context, model, words } from './screen.js';

const ROWS = 50;

/** The newest identity sessions. */
export function IdentityPage() {
  return (
    <>
      <h2>{words.sections.identity}</h2>
      <Form form={sessionForm(context, appChoices(readApps(model).value?.data))} isInline />
      {ready(readSessions(model, ROWS), ({ data }) =>
        data.length === 0 ? (
          <p class="empty">{words.identity.none}</p>
        ) : (
          <ul class="cards">
            {data.map((session) => (
              <SessionCard key={session.id} session={session} />
            ))}
          </ul>
        ),
      )}
    </>
  );
}

function SessionCard({ session }: { session: SessionView }) {
  const name = sessionName(session.id);
  return (
    <li>
      <p>
        <Link to={`/identity/${name}`}>{name}</Link> {session.customer_type} <State of={session.status} />
      </p>
      <p>
        <time>{words.instant(session.created_at)}</time> <OpenPage session={session} />
      </p>
    </li>
  );
}

/**
 * Opens a session's page in another tab; a button, because its address is a credential, which a link would
 * show.
 */
function OpenPage({ session }: { session: SessionView }) {
  return (
    <Button
      label={words.identity.openPage}
      name={words.identity.openPageOf(sessionName(session.id))}
      onClick={() => window.open(session.url, '_blank', 'noopener,noreferrer')}
    />
  );
}

/** An identity session, and the decision on it. */
export function SessionDetail({ id }: { id: string }) {
  const { identity } = words;
  return ready(readSession(model, id), (session) => {
    const form = decisionForm(context, session);
    return (
      <article>
        <h2>
          {identity.session} {sessionName(session.id)} <State of={session.status} />
        </h2>
        <div class="buttons">
          <OpenPage session={session} />
        </div>
        <Facts
          of={[
            ['customer', session.customer_type],
            ['visible', session.visible_status],
            ['created', words.instant(session.created_at)],
            ['expires', words.instant(session.expires_at)],
            ['decided', instantOf(session.decided_at)],
            ['readable', instantOf(session.readable_at)],
            ['name', session.name],
            ['document', session.document],
            ['euid', session.euid],
            ['error', session.error],
            ['origin', session.embed_origin],
          ]}
        />
        {form === undefined ? (
          <p class="empty">{identity.isOver}</p>
        ) : (
          <Form key={session.id + session.status} form={form} name={identity.decide} />
        )}
      </article>
    );
  });
}

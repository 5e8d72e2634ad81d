import type { SessionView } from '../../../http/control/schema.js';
import type { Console } from '../../model/console.js';
import { namedSession } from './actions.js';

/** Opens a session's page in another tab; a button, because its address is a credential, which a link would show. */
export function OpenPage({ model, session }: { model: Console; session: SessionView }) {
  const { identity: words } = model.words;
  return (
    <button
      type="button"
      aria-label={words.openPageOf(namedSession(session.id))}
      onClick={() => window.open(session.url, '_blank', 'noopener,noreferrer')}
    >
      {words.openPage}
    </button>
  );
}

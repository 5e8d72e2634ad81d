import type { EndpointView } from '../../../http/control/schema.js';
import { Secret } from '../../frame/secret.js';
import type { Console } from '../../model/console.js';
import type { Outcome } from '../../model/rows.js';
import type { Words } from '../../words/words.js';

/** Whether an endpoint takes anything now. */
export function stateOf(
  { endpoints: words }: Words,
  { status, transport, connected }: EndpointView,
): Outcome {
  if (status !== 'ACTIVE') return { text: status, tone: 'bad' };
  if (transport === 'http') return { text: status, tone: 'good' };
  return connected === true
    ? { text: `${words.listener}, ${words.connected}`, tone: 'good' }
    : { text: `${words.listener}, ${words.away}`, tone: 'waiting' };
}

/** The secret that this page was given for an endpoint. */
export function EndpointSecret({ model, id }: { model: Console; id: string }) {
  const { endpoints: words } = model.words;
  const secret = model.secrets.get(id);
  if (secret === undefined) return null;
  return (
    <p>
      <Secret key={secret} model={model} name={words.secret} value={secret} />{' '}
      <span class="faint">{words.secretHint}</span>
    </p>
  );
}

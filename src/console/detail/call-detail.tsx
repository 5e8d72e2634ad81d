import type { CallDetail as CallView } from '../../http/control/schema.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { Deliveries } from './deliveries.js';
import { Facts, Ready } from './loaded.js';
import { MessageView } from './message.js';

/** A call of the application: what it sent, what came back, why, and what followed. */
export function CallDetail({ model, id }: { model: Console; id: string }) {
  const { words } = model;
  const loaded = model.resources.read(
    `call ${id}`,
    (client) => client.get('calls/:id', { id }),
    ({ code, resource_id: resource }) => code !== undefined || resource !== undefined,
  );
  return (
    <Ready model={model} loaded={loaded}>
      {(call) => (
        <article>
          <h2>
            {call.method} {call.path}{' '}
            <Ending outcome={{ text: String(call.status), tone: call.status < 400 ? 'good' : 'bad' }} />
          </h2>
          <Problem model={model} call={call} />
          {call.warnings.map((warning) => (
            <p class="problem" key={warning}>
              {warning}
            </p>
          ))}
          <Facts
            facts={[
              ['id', call.id],
              ['at', `${call.at} (${call.real_at})`],
              ['took', call.duration_ms === null ? '' : words.detail.took(call.duration_ms)],
              ['resource', call.resource_id],
              ['faults', call.faults.map(({ action }) => action).join(', ')],
            ]}
          />
          <MessageView
            model={model}
            title={words.detail.request}
            line={`${call.method} ${call.path}`}
            message={call.request}
          />
          <MessageView
            model={model}
            title={words.detail.answer}
            line={String(call.status)}
            message={call.response}
          />
          <Deliveries model={model} deliveries={call.deliveries} />
        </article>
      )}
    </Ready>
  );
}

/** Why the call was refused: the code, each field, and what to do. */
function Problem({ model, call: { error, hint } }: { model: Console; call: CallView }) {
  if (error === null) return null;
  return (
    <div class="problem">
      <p>
        <strong>{error.code}</strong> {error.message}
      </p>
      <ul>
        {error.details.map(({ field, message }) => (
          <li key={field + message}>
            <code>{field}</code> {message}
          </li>
        ))}
      </ul>
      {hint === null ? null : (
        <p>
          {model.words.detail.hint}: {hint}
        </p>
      )}
    </div>
  );
}

import type { CallDetail as CallView } from '../../http/control/schema.js';
import { differencesOf } from '../../text/exchange/differences.js';
import { callExchange } from '../../text/exchange/shown.js';
import { callAgain } from '../../text/shell/kept.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import { faultPage } from '../pages/faults/call-path.js';
import { replayAction } from './actions.js';
import { CurlButton } from './curl-button.js';
import { Link } from '../frame/link.js';
import { Deliveries } from './deliveries.js';
import { DifferencesView } from './differences.js';
import { Facts, Ready } from './loaded.js';
import { readCall, readScheme } from './reads.js';
import { MessageView } from './message.js';

/** A call of the application: what it sent, what came back, why, and what followed. */
export function CallDetail({ model, id }: { model: Console; id: string }) {
  const { words } = model;
  return (
    <Ready model={model} loaded={readCall(model, id)}>
      {(call) => (
        <article>
          <h2>
            {call.method} {call.path}{' '}
            <Ending outcome={{ text: String(call.status), tone: call.status < 400 ? 'good' : 'bad' }} />
          </h2>
          <Buttons model={model} call={call} />
          <FaultLink model={model} call={call} />
          <Problem model={model} call={call} />
          {call.warnings.map((warning) => (
            <p class="problem" key={warning}>
              {warning}
            </p>
          ))}
          <Facts
            model={model}
            facts={[
              ['id', call.id],
              ['at', `${call.at} (${call.real_at})`],
              ['took', call.duration_ms === null ? '' : words.detail.took(call.duration_ms)],
              ['resource', call.resource_id],
              ['faults', call.faults.map(({ action }) => action).join(', ')],
            ]}
          />
          <Comparison model={model} call={call} />
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

/** Opens a call that was sent again, compared with the one before. */
export function showReplay(model: Console, before: string, sent: string): void {
  model.go(`/calls/${sent}#with-${before}`);
}

function Buttons({ model, call }: { model: Console; call: CallView }) {
  const { words } = model;
  const { id } = call;
  const onSent = (sent: string) => showReplay(model, id, sent);
  const { value: scheme } = readScheme(model);
  return (
    <div class="buttons">
      <button type="button" data-key="r" onClick={() => void model.act(replayAction(words, id, {}, onSent))}>
        {words.detail.replay}
      </button>
      <button
        type="button"
        onClick={() => void model.act(replayAction(words, id, { newCode: true }, onSent))}
      >
        {words.detail.replayNew}
      </button>
      <button type="button" onClick={() => model.open('replay')}>
        {words.detail.edit}
      </button>
      <CurlButton model={model} script={scheme && callAgain(call, location.origin, scheme)} />
    </div>
  );
}

/** Compares the call with another one of the same kind, which is chosen here. */
function Comparison({ model, call }: { model: Console; call: CallView }) {
  const { detail } = model.words;
  const { other } = model.route.detail ?? {};
  const alike = [...model.stories.steps()]
    .map(({ entry }) => entry)
    .filter(
      ({ kind, id, method, path }) =>
        kind === 'call' && id !== call.id && method === call.method && path === call.path,
    )
    .slice(-20)
    .reverse();
  if (alike.length === 0 && other === undefined) return null;
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    model.go(`/calls/${call.id}${value === '' ? '' : `#with-${value}`}`, true);
  };
  return (
    <>
      <label>
        {detail.compare}{' '}
        <select onChange={choose}>
          <option value="">–</option>
          {other === undefined || alike.some(({ id }) => id === other) ? null : (
            <option selected value={other}>
              {other}
            </option>
          )}
          {alike.map(({ id, status }) => (
            <option key={id} value={id ?? ''} selected={id === other}>
              {id?.slice(0, 12)} {status}
            </option>
          ))}
        </select>
      </label>
      {other === undefined ? null : <Compared model={model} call={call} other={other} />}
    </>
  );
}

function Compared({ model, call, other }: { model: Console; call: CallView; other: string }) {
  return (
    <Ready model={model} loaded={readCall(model, other)}>
      {(before) => (
        <DifferencesView
          model={model}
          title={model.words.detail.differences(other.slice(0, 12))}
          found={differencesOf(callExchange(before), callExchange(call))}
        />
      )}
    </Ready>
  );
}

/** Leads to a new fault for calls like this one. */
function FaultLink({ model, call }: { model: Console; call: CallView }) {
  const page = faultPage(call);
  if (page === undefined) return null;
  return (
    <Link model={model} to={page}>
      {model.words.faults.forCall}
    </Link>
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

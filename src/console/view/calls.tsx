import type { CallDetail as CallView } from '../../http/control/schema.js';
import { differencesOf } from '../../text/exchange/differences.js';
import { callExchange } from '../../text/exchange/shown.js';
import { callAgain } from '../../text/shell/curl.js';
import { faultPage } from '../model/faults.js';
import type { Choice } from '../model/forms.js';
import { readCall, readScheme } from '../model/reads.js';
import { CurlButton, DifferencesView, MessageView } from './exchange.js';
import { ActionButton, Button, DeliveryList, Ending, Facts, Link, ready, Select } from './parts.js';
import { actions, model, words } from './screen.js';

/** A request of the application: what it sent, what came back, why, and what followed. */
export function CallDetail({ id }: { id: string }) {
  const { detail } = words;
  return ready(readCall(model, id), (call) => {
    const page = faultPage(call);
    return (
      <article>
        <h2>
          {call.method} {call.path}{' '}
          <Ending text={String(call.status)} tone={call.status < 400 ? 'good' : 'bad'} />
        </h2>
        <Buttons call={call} />
        {page === undefined ? null : <Link to={page}>{words.faults.forCall}</Link>}
        <Refusal call={call} />
        {call.warnings.map((warning) => (
          <p class="problem" key={warning}>
            {warning}
          </p>
        ))}
        <Facts
          of={[
            ['id', call.id],
            ['at', `${call.at} (${call.real_at})`],
            ['took', call.duration_ms === null ? '' : detail.took(call.duration_ms)],
            ['resource', call.resource_id],
            ['faults', call.faults.map(({ action }) => action).join(', ')],
          ]}
        />
        <Comparison call={call} />
        <MessageView title={detail.request} line={`${call.method} ${call.path}`} message={call.request} />
        <MessageView title={detail.answer} line={String(call.status)} message={call.response} />
        {call.deliveries.length === 0 ? null : (
          <DeliveryList
            title={detail.deliveries}
            rows={call.deliveries}
            text={(one) => `${one.event_type} → ${one.endpoint_name ?? '–'}`}
          />
        )}
      </article>
    );
  });
}

function Buttons({ call }: { call: CallView }) {
  const { detail } = words;
  const { id } = call;
  const { replay } = actions.deliveries;
  const onDone = (sent: { readonly id: string }) => model.go(`/calls/${sent.id}#with-${id}`);
  const { value: scheme } = readScheme(model);
  return (
    <div class="buttons">
      <ActionButton label={detail.replay} shortcut="r" action={replay(id)} onDone={onDone} />
      <ActionButton label={detail.replayNew} action={replay(id, { newCode: true })} onDone={onDone} />
      <Button label={detail.edit} onClick={() => model.open('replay')} />
      <CurlButton script={scheme && callAgain(call, location.origin, scheme)} />
    </div>
  );
}

/** Compares the request with another one of the same kind, which is chosen here. */
function Comparison({ call }: { call: CallView }) {
  const { detail } = words;
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
  const known = alike.map(({ id, status }): Choice => [id ?? '', `${id?.slice(0, 12)} ${status}`]);
  const isKnown = other === undefined || alike.some(({ id }) => id === other);
  return (
    <>
      <Select
        label={detail.compare}
        choices={[['', '–'], ...(isKnown ? [] : [[other, other] as const]), ...known]}
        value={other}
        onChoose={(id) => model.go(`/calls/${call.id}${id === '' ? '' : `#with-${id}`}`, true)}
      />
      {other === undefined
        ? null
        : ready(readCall(model, other), (before) => (
            <DifferencesView
              title={detail.differences(other.slice(0, 12))}
              found={differencesOf(callExchange(before), callExchange(call))}
            />
          ))}
    </>
  );
}

/** Why the request was refused: the code, each field, and what to do. */
function Refusal({ call: { error, hint } }: { call: CallView }) {
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
          {words.detail.hint}: {hint}
        </p>
      )}
    </div>
  );
}

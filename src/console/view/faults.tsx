import { CALL_FAULTS, DELIVERY_FAULTS } from '../../contract/fault-kinds.js';
import type { FaultView } from '../../http/control/schema.js';
import { faultForm } from '../model/faults.js';
import type { Choice } from '../model/forms.js';
import { readFaults, readStatus, targetOf } from '../model/reads.js';
import { Form } from './form.js';
import { ActionButton, ready } from './parts.js';
import { actions, context, model, words } from './screen.js';

/** The faults, how often each fired, and a form for another one, which the address may fill in. */
export function FaultsPage() {
  const { faults: texts, sections } = words;
  const wanted = new URLSearchParams(location.search);
  const endpoints = readStatus(model).value?.endpoints ?? [];
  const choices = endpoints.map((endpoint): Choice => [endpoint.id, targetOf(endpoint)]);
  return (
    <>
      <h2>{sections.faults}</h2>
      <details class="form" key={location.search} open={wanted.has('path')}>
        <summary>{texts.add}</summary>
        <Form form={faultForm(context, choices, wanted)} resets />
      </details>
      {ready(readFaults(model), ({ data }) =>
        data.length === 0 ? (
          <p class="empty">{texts.none}</p>
        ) : (
          <>
            <ul class="cards">
              {data.map((fault) => (
                <FaultCard key={fault.id} fault={fault} />
              ))}
            </ul>
            <ActionButton action={actions.faults.removeAll} label={texts.removeAll} />
          </>
        ),
      )}
    </>
  );
}

function FaultCard({ fault }: { fault: FaultView }) {
  const { faults: texts } = words;
  const { id, action, on, seen, fired } = fault;
  const meanings: Readonly<Record<string, string>> = on === 'call' ? CALL_FAULTS : DELIVERY_FAULTS;
  return (
    <li aria-label={action}>
      <p>
        <strong>{action}</strong>{' '}
        <span class={fired > 0 ? 'bad' : 'waiting'}>{texts.fired(fired, seen)}</span>{' '}
        <ActionButton
          action={actions.faults.remove(id)}
          label={texts.remove}
          name={texts.removeNamed(action)}
        />
      </p>
      <p class="faint">{meanings[action]}</p>
      <p>{matchOf(fault)}</p>
    </li>
  );
}

/** What a fault matches, and its own fields. */
function matchOf(fault: FaultView): string {
  const { faults: texts } = words;
  const { id: _id, action: _action, seen: _seen, fired: _fired, probability, on, ...rest } = fault;
  const given = Object.entries(rest).filter(([, value]) => value !== null);
  const chance = probability === 1 ? [] : [`${texts.probability} ${probability}`];
  const side = on === 'call' ? texts.calls : texts.deliveries;
  return [side, ...given.map(([name, value]) => `${name} ${value}`), ...chance].join(', ');
}

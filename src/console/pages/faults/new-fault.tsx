import { useState } from 'hono/jsx/dom';
import type { NewFault } from '../../../client/routes.js';
import {
  CALL_FAULTS,
  DELIVERY_FAULTS,
  FAULT_FIELDS,
  RESTART_MOMENTS,
} from '../../../contract/fault-kinds.js';
import { fieldOf } from '../../frame/form.js';
import type { Console } from '../../model/console.js';
import { faultActions } from './actions.js';
import { AimFields, CallFields, Choice, DeliveryFields } from './match-fields.js';

type Side = 'call' | 'delivery';

const FIRST = 'call status';

/** Adds a fault: asks only for what the chosen one takes. An address that names a call fills in what it matches. */
export function NewFaultForm({ model }: { model: Console }) {
  const { faults: words } = model.words;
  const [chosen, choose] = useState(FIRST);
  const [on, action] = chosen.split(' ') as [Side, string];
  const wanted = new URLSearchParams(location.search);
  const send = async (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const { add } = faultActions(model.words);
    if (await model.act(add({ action, on, ...fieldsOf(event) }))) {
      form.reset();
      choose(FIRST);
    }
  };
  return (
    <details class="form" open={wanted.has('path')}>
      <summary>{words.add}</summary>
      <form onSubmit={(event: Event) => void send(event)}>
        <label>
          {words.action}
          <select name="fault" onChange={(event: Event) => choose((event.target as HTMLSelectElement).value)}>
            <Faults side="call" label={words.calls} meanings={CALL_FAULTS} />
            <Faults side="delivery" label={words.deliveries} meanings={DELIVERY_FAULTS} />
          </select>
        </label>
        {on === 'call' ? <CallFields model={model} wanted={wanted} /> : <DeliveryFields model={model} />}
        <AimFields model={model} />
        <OwnFields model={model} action={action} />
        <label>
          {words.count}
          <input name="count" inputMode="numeric" placeholder={words.unlimited} />
        </label>
        <label>
          {words.probability}
          <input name="probability" inputMode="decimal" placeholder="1" />
        </label>
        <button type="submit" class="main">
          {words.create}
        </button>
      </form>
    </details>
  );
}

function Faults({ side, label, meanings }: { side: Side; label: string; meanings: object }) {
  return (
    <optgroup label={label}>
      {Object.entries(meanings).map(([action, meaning]: [string, string]) => (
        <option key={action} value={`${side} ${action}`}>
          {action}: {meaning}
        </option>
      ))}
    </optgroup>
  );
}

/** The fields that only this fault has. */
function OwnFields({ model, action }: { model: Console; action: string }) {
  const { faults: words } = model.words;
  return (
    <>
      {(Object.keys(FAULT_FIELDS) as (keyof typeof FAULT_FIELDS)[])
        .filter((field) => (FAULT_FIELDS[field] as readonly string[]).includes(action))
        .map((field) => (
          <OwnField key={field} field={field} label={words[field]} any={words.any} />
        ))}
    </>
  );
}

const EXAMPLES = { status: '503', delay: '1s', copies: '1' };

function OwnField({ field, label, any }: { field: keyof typeof FAULT_FIELDS; label: string; any: string }) {
  if (field === 'when')
    return <Choice name={field} label={label} any={any} of={RESTART_MOMENTS} chosen={null} />;
  return (
    <label>
      {label}
      {field === 'parallel' ? (
        <input type="checkbox" name={field} value="true" />
      ) : (
        <input name={field} placeholder={EXAMPLES[field]} autocomplete="off" />
      )}
    </label>
  );
}

const TEXTS = ['door', 'method', 'path', 'event', 'endpoint', 'delay', 'code', 'when'] as const;
const NUMBERS = ['attempt', 'status', 'copies', 'count', 'probability', 'resource', 'nth'] as const;

/** What was filled in; what is not a number is sent as it is, and the sandbox says what it expects. */
function fieldsOf(event: Event): Omit<NewFault, 'action' | 'on'> {
  const texts = TEXTS.map((name) => [name, fieldOf(event, name) || undefined]);
  const numbers = NUMBERS.map((name) => [name, numberOf(fieldOf(event, name))]);
  const flags = [['parallel', fieldOf(event, 'parallel') === 'true' || undefined]];
  return Object.fromEntries(
    [...texts, ...numbers, ...flags].filter(([, value]) => value !== undefined),
  ) as NewFault;
}

function numberOf(text: string): number | string | undefined {
  if (text === '') return undefined;
  const number = Number(text.replace(',', '.'));
  return Number.isNaN(number) ? text : number;
}

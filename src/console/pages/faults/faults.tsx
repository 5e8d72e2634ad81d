import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../contract/fault-kinds.js';
import type { FaultView } from '../../../http/control/schema.js';
import { Ready } from '../../detail/loaded.js';
import { ActionButton } from '../../frame/action-button.js';
import type { Console } from '../../model/console.js';
import type { Words } from '../../words/words.js';
import { faultActions } from './actions.js';
import { NewFaultForm } from './new-fault.js';

/** The faults, how often each fired, and a form for another one. */
export function FaultsPage({ model }: { model: Console }) {
  const { words } = model;
  const { remove, removeAll } = faultActions(words);
  const loaded = model.resources.read(
    'faults',
    (client) => client.get('faults'),
    ({ kind, faults }) => kind === 'fault' || faults !== undefined,
  );
  return (
    <>
      <h2>{words.sections.faults}</h2>
      <NewFaultForm key={location.search} model={model} />
      <Ready model={model} loaded={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="empty">{words.faults.none}</p>
          ) : (
            <>
              <ul class="cards">
                {data.map((fault) => (
                  <li key={fault.id} aria-label={fault.action}>
                    <p>
                      <strong>{fault.action}</strong>{' '}
                      <span class={fault.fired > 0 ? 'bad' : 'waiting'}>
                        {words.faults.fired(fault.fired, fault.seen)}
                      </span>{' '}
                      <ActionButton
                        model={model}
                        action={remove(fault.id)}
                        label={words.faults.remove}
                        name={words.faults.removeNamed(fault.action)}
                      />
                    </p>
                    <p class="faint">{meaningOf(fault)}</p>
                    <p>{matchOf(words, fault)}</p>
                  </li>
                ))}
              </ul>
              <ActionButton model={model} action={removeAll} label={words.faults.removeAll} />
            </>
          )
        }
      </Ready>
    </>
  );
}

function meaningOf({ on, action }: FaultView): string {
  const meanings: Readonly<Record<string, string>> = on === 'call' ? CALL_FAULTS : DELIVERY_FAULTS;
  return meanings[action] ?? '';
}

/** What it matches, and with which values of its own. */
function matchOf({ faults: words }: Words, fault: FaultView): string {
  const { id: _id, action: _action, seen: _seen, fired: _fired, probability, on, ...rest } = fault;
  const given = Object.entries(rest).filter(([, value]) => value !== null);
  const chance = probability === 1 ? [] : [`${words.probability} ${probability}`];
  const side = on === 'call' ? words.calls : words.deliveries;
  return [side, ...given.map(([name, value]) => `${name} ${value}`), ...chance].join(', ');
}

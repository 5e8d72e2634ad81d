import { CALL_ROUTES } from '../../../contract/call-routes.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import { FAULT_DOORS } from '../../../contract/fault-kinds.js';
import type { Console } from '../../model/console.js';
import { readStatus, targetOf } from '../endpoints/status.js';
import { METHODS, pathsOf } from './call-path.js';

/** Which calls a fault hits; by default all. */
export function CallFields({ model, wanted }: { model: Console; wanted: URLSearchParams }) {
  const { faults: words } = model.words;
  return (
    <>
      <Choice name="door" label={words.door} any={words.any} of={FAULT_DOORS} chosen={wanted.get('door')} />
      <Choice name="method" label={words.method} any={words.any} of={METHODS} chosen={wanted.get('method')} />
      <label>
        {words.path}
        <input
          name="path"
          list="paths"
          value={wanted.get('path') ?? ''}
          placeholder={words.any}
          autocomplete="off"
        />
        <datalist id="paths">
          {Object.values(CALL_ROUTES)
            .flatMap(pathsOf)
            .map((path) => (
              <option key={path} value={path} />
            ))}
        </datalist>
      </label>
    </>
  );
}

/** Which deliveries a fault hits; by default all. */
export function DeliveryFields({ model }: { model: Console }) {
  const { faults: words } = model.words;
  const endpoints = readStatus(model).value?.endpoints ?? [];
  return (
    <>
      <label>
        {words.event}
        <input name="event" list="events" placeholder={words.any} autocomplete="off" />
        <datalist id="events">
          {[...EVENT_TYPES, 'pix.*', 'withdrawal.*'].map((type) => (
            <option key={type} value={type} />
          ))}
        </datalist>
      </label>
      <label>
        {words.endpoint}
        <select name="endpoint">
          <option value="">{words.any}</option>
          {endpoints.map((endpoint) => (
            <option key={endpoint.id} value={endpoint.id}>
              {targetOf(endpoint)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.attempt}
        <input name="attempt" inputMode="numeric" placeholder={words.any} />
      </label>
    </>
  );
}

/** Which of those calls or deliveries a fault hits, by what they are about; by default all. */
export function AimFields({ model }: { model: Console }) {
  const { faults: words } = model.words;
  return (
    <>
      <label>
        {words.code}
        <input name="code" placeholder={words.any} autocomplete="off" />
      </label>
      <label>
        {words.resource}
        <input name="resource" inputMode="numeric" placeholder={words.any} />
      </label>
      <label>
        {words.nth}
        <input name="nth" inputMode="numeric" placeholder={words.any} />
      </label>
    </>
  );
}

export function Choice({
  name,
  label,
  any,
  of,
  chosen,
}: {
  name: string;
  label: string;
  any: string;
  of: readonly string[];
  chosen: string | null;
}) {
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">{any}</option>
        {of.map((value) => (
          <option key={value} selected={value === chosen}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

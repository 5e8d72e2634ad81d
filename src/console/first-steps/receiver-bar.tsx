import type { ReceiverView } from '../../http/control/schema.js';
import type { Console } from '../model/console.js';
import type { AnswerName } from './receiver-actions.js';
import { ANSWERS, receiverActions } from './receiver-actions.js';

/** The test receiver while it is on: what it answers, which can be changed, and what came last. */
export function ReceiverBar({ model, receiver }: { model: Console; receiver: ReceiverView }) {
  if (!receiver.on) return null;
  const { words } = model;
  const actions = receiverActions(words);
  const { answer, received } = receiver;
  const last = received.at(-1);
  const change = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (Object.hasOwn(ANSWERS, value)) void model.act(actions.answer(ANSWERS[value as AnswerName]));
  };
  const names = Object.keys(ANSWERS) as AnswerName[];
  const chosen = names.find((name) => JSON.stringify(ANSWERS[name]) === JSON.stringify(answer));
  return (
    <section class="receiver" aria-label={words.receiver.region}>
      <label>
        {words.receiver.region}: <span class="hidden">{words.receiver.label}</span>
        <select onChange={change}>
          {chosen === undefined ? <option selected>{words.receiver.answer(answer)}</option> : null}
          {names.map((name) => (
            <option key={name} value={name} selected={name === chosen}>
              {words.receiver.answer(ANSWERS[name])}
            </option>
          ))}
        </select>
      </label>
      {last === undefined ? null : (
        <span>
          {words.receiver.received(received.length)}{' '}
          <span class={last.verdict.ok ? 'good' : 'bad'}>
            {words.receiver.verdict(last.verdict.ok, last.verdict.message)}
          </span>
        </span>
      )}
      <button type="button" class="quiet" onClick={() => void model.act(actions.off)}>
        {words.receiver.turnOff}
      </button>
    </section>
  );
}

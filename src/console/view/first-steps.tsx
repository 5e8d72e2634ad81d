import type { ReceiverView } from '../../http/control/listeners.js';
import type { ReceiverAnswer } from '../../sandbox/test-receiver.js';
import { receiver, RECEIVER_REPLIES } from '../model/actions.js';
import { type Progress, progressOf, stepAction, type StepName, STEPS } from '../model/first-steps.js';
import { words } from '../words.js';
import { actionButton, button, command, link, select, toned } from './parts.js';
import { model } from './screen.js';

export const FORWARD_COMMAND = 'npx sandbox start --forward-to 3000/webhooks';

const STORED = 'pix-sandbox-first-steps';

/** Shown at the beginning, while the test receiver is on, and after they were asked for; until hidden. */
function areStepsShown(isReceiverOn: boolean): boolean {
  const stored = localStorage.getItem(STORED);
  if (stored === 'done') return false;
  return stored === 'open' || isReceiverOn || model.stories.deliveries.length === 0;
}

function hideSteps(): void {
  localStorage.setItem(STORED, 'done');
  model.changed();
}

export function openSteps(): void {
  localStorage.setItem(STORED, 'open');
  model.go('/');
}

/** From an empty console to a signed delivery, a dead letter and its retry; and the active test receiver. */
export function FirstSteps() {
  const view = model.resources.get('receiver').value;
  if (view === undefined) return null;
  return (
    <>
      {areStepsShown(view.on) ? <Steps progress={progressOf(model.stories, view)} /> : null}
      {view.on ? <ReceiverBar receiver={view} /> : null}
    </>
  );
}

function Steps({ progress }: { progress: Progress }) {
  const { steps } = words;
  const { done, next } = progress;
  const names = Object.keys(STEPS) as StepName[];
  const current = names.find((name) => !done.has(name));
  return (
    <section class="steps" aria-label={steps.region}>
      <h2>{steps.region}</h2>
      {button(steps.dismiss, hideSteps, { kind: 'quiet close' })}
      <ol>
        {names.map((name) => {
          const press = STEPS[name];
          const history = done.get(name);
          return (
            <li key={name} class={done.has(name) ? 'done' : ''}>
              <h3>
                <span aria-hidden="true">{done.has(name) ? '✓ ' : '○ '}</span>
                {steps.names[name]} {done.has(name) ? <span class="hidden">({steps.done})</span> : null}
              </h3>
              {actionButton(steps.buttons[press], stepAction(press, progress), {
                kind: press === next ? 'main' : undefined,
              })}
              {name === current ? <p>{steps.text[name]}</p> : null}
              {history && link(`/deliveries/${history.id}`, history.statuses.join(' '))}
            </li>
          );
        })}
      </ol>
      {next === undefined ? (
        command(FORWARD_COMMAND, steps.own)
      ) : (
        <p role="status">{steps.next(steps.buttons[next])}</p>
      )}
    </section>
  );
}

/** The active test receiver: its reply, which can be changed, and its last delivery. */
function ReceiverBar({ receiver: { answer, received } }: { receiver: ReceiverView }) {
  const { receiver: texts, detail } = words;
  const last = received.at(-1);
  const choices = new Map(
    [answer, ...RECEIVER_REPLIES].map((reply) => [JSON.stringify(reply), texts.reply(reply)]),
  );
  const choose = (json: string) =>
    void model.act(receiver.reply(JSON.parse(json) as ReceiverAnswer), choices.get(json) ?? '');
  return (
    <section class="receiver" aria-label={texts.region}>
      {select(texts.region, [...choices], JSON.stringify(answer), choose)}
      {last && (
        <span>
          {texts.received(received.length)}{' '}
          {toned(detail.verified(last.verdict.ok, last.verdict.message), last.verdict.ok)}
        </span>
      )}
      {actionButton(texts.turnOff, receiver.off, { kind: 'quiet' })}
    </section>
  );
}

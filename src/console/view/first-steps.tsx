import type { ReceiverView } from '../../http/control/schema.js';
import { RECEIVER_REPLIES } from '../model/actions.js';
import type { Press, Progress, StepName } from '../model/first-steps.js';
import { progressOf, stepAction, STEPS } from '../model/first-steps.js';
import type { Choice } from '../model/forms.js';
import { readReceiver } from '../model/reads.js';
import { ActionButton, Button, Command, Link, Select } from './parts.js';
import { actions, context, model, words } from './screen.js';

export const FORWARD_COMMAND = 'npx sandbox start --forward-to 3000/webhooks';

/** The button of each step; the clock has those that go ahead. */
const PRESSES: Readonly<Record<StepName, Press>> = {
  receiver: 'turnOn',
  pay: 'pay',
  deadLetter: 'failThrice',
  retry: 'retry',
};

const STORED = 'pix-sandbox-first-steps';

/**
 * Whether the first steps are shown: at the beginning, while the test receiver is on, and where they were
 * asked for.
 */
function areStepsShown(isReceiverOn: boolean): boolean {
  const stored = localStorage.getItem(STORED);
  if (stored === 'done') return false;
  return stored === 'open' || isReceiverOn || model.stories.deliveries.size === 0;
}

function hideSteps(): void {
  localStorage.setItem(STORED, 'done');
  model.changed();
}

/** Shows the first steps on the live page. */
export function openSteps(): void {
  localStorage.setItem(STORED, 'open');
  model.go('/');
}

/**
 * Leads from an empty console to a signed delivery, its failure, its retries and the dead letter; and the
 * test receiver while it is on.
 */
export function FirstSteps() {
  const receiver = readReceiver(model);
  if (receiver === undefined) return null;
  return (
    <>
      {areStepsShown(receiver.on) ? <Steps receiver={receiver} /> : null}
      {receiver.on ? <ReceiverBar receiver={receiver} /> : null}
    </>
  );
}

function Steps({ receiver }: { receiver: ReceiverView }) {
  const { steps } = words;
  const progress = progressOf(model.stories, receiver);
  return (
    <section class="steps" aria-label={steps.region}>
      <h2>{steps.region}</h2>
      <Button kind="quiet close" label={steps.dismiss} onClick={hideSteps} />
      <ol>
        {STEPS.map((name) => (
          <OneStep key={name} name={name} progress={progress} />
        ))}
      </ol>
      {progress.next === undefined ? (
        <p>
          {steps.own} <Command text={FORWARD_COMMAND} />
        </p>
      ) : (
        <p role="status">{steps.next[progress.next]}</p>
      )}
    </section>
  );
}

/** What a step is for, or what it did; and its button. */
function OneStep({ name, progress }: { name: StepName; progress: Progress }) {
  const { steps } = words;
  const { done, next } = progress;
  const history = done.get(name);
  const isDone = done.has(name);
  const press = PRESSES[name];
  return (
    <li class={isDone ? 'done' : ''}>
      <h3>
        <span aria-hidden="true">{isDone ? '✓ ' : '○ '}</span>
        {steps.names[name]} {isDone ? <span class="hidden">({steps.done})</span> : null}
      </h3>
      <ActionButton
        kind={press === next ? 'main' : undefined}
        label={steps.buttons[press]}
        action={stepAction(context, press, progress)}
      />
      {name === STEPS.find((one) => !done.has(one)) ? <p>{steps.text[name]}</p> : null}
      {history === undefined ? null : (
        <Link to={`/deliveries/${history.id}`}>{history.statuses.join(' ')}</Link>
      )}
    </li>
  );
}

/** The test receiver while it is on: its reply, which can be changed, and what came last. */
function ReceiverBar({ receiver: { answer, received } }: { receiver: ReceiverView }) {
  const { receiver } = words;
  const last = received.at(-1);
  const replies = Object.entries(RECEIVER_REPLIES);
  const current = replies.find(([, reply]) => JSON.stringify(reply) === JSON.stringify(answer))?.[0];
  const known = replies.map(([name, reply]): Choice => [name, receiver.answer(reply)]);
  return (
    <section class="receiver" aria-label={receiver.region}>
      <Select
        label={
          <>
            {receiver.region}: <span class="hidden">{receiver.label}</span>
          </>
        }
        choices={current === undefined ? [['', receiver.answer(answer)], ...known] : known}
        value={current ?? ''}
        onChoose={(name) => {
          const reply = replies.find(([one]) => one === name)?.[1];
          if (reply !== undefined) void model.act(actions.receiver.reply(reply));
        }}
      />
      {last === undefined ? null : (
        <span>
          {receiver.received(received.length)}{' '}
          <span class={last.verdict.ok ? 'good' : 'bad'}>
            {receiver.verdict(last.verdict.ok, last.verdict.message)}
          </span>
        </span>
      )}
      <ActionButton kind="quiet" label={receiver.turnOff} action={actions.receiver.off} />
    </section>
  );
}

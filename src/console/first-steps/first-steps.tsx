import type { ReceiverView } from '../../http/control/schema.js';
import { CopyButton } from '../frame/copy-button.js';
import { Link } from '../frame/link.js';
import type { Console } from '../model/console.js';
import type { Press, Progress, StepName } from './progress.js';
import { progressOf, STEPS } from './progress.js';
import { readReceiver } from './receiver.js';
import { ReceiverBar } from './receiver-bar.js';
import { areStepsShown, dismissSteps } from './shown.js';
import { stepAction } from './step-actions.js';

const FORWARD = 'npx sandbox start --forward-to 3000/webhooks';

/** The buttons of each step; the clock has those that go ahead. */
const PRESSES: Readonly<Record<StepName, readonly Press[]>> = {
  receiver: ['turnOn'],
  pay: ['pay'],
  deadLetter: ['failThrice'],
  retry: ['retry'],
};

/** Leads from an empty console to a signed delivery, its failure, its retries and the dead letter; and the test receiver while it is on. */
export function FirstSteps({ model }: { model: Console }) {
  const receiver = readReceiver(model);
  if (receiver === undefined) return null;
  return (
    <>
      {areStepsShown(model, receiver.on) ? <Steps model={model} receiver={receiver} /> : null}
      <ReceiverBar model={model} receiver={receiver} />
    </>
  );
}

function Steps({ model, receiver }: { model: Console; receiver: ReceiverView }) {
  const { steps } = model.words;
  const progress = progressOf(model.stories, receiver);
  const { next } = progress;
  return (
    <section class="steps" aria-label={steps.region}>
      <h2>{steps.region}</h2>
      <button type="button" class="quiet close" onClick={() => dismissSteps(model)}>
        {steps.dismiss}
      </button>
      <ol>
        {STEPS.map((name) => (
          <OneStep key={name} model={model} name={name} progress={progress} />
        ))}
      </ol>
      {next === undefined ? (
        <p>
          {steps.own} <code>{FORWARD}</code> <CopyButton model={model} text={FORWARD} />
        </p>
      ) : (
        <p role="status">{steps.next[next]}</p>
      )}
    </section>
  );
}

/** What a step is for, or what it did; and its buttons. */
function OneStep({ model, name, progress }: { model: Console; name: StepName; progress: Progress }) {
  const { steps } = model.words;
  const { done, next } = progress;
  const course = done.get(name);
  const isDone = done.has(name);
  const isNext = name === STEPS.find((one) => !done.has(one));
  return (
    <li class={isDone ? 'done' : ''}>
      <h3>
        <span aria-hidden="true">{isDone ? '✓ ' : '○ '}</span>
        {steps.names[name]} {isDone ? <span class="hidden">({steps.done})</span> : null}
      </h3>
      {PRESSES[name].map((press) => {
        const action = stepAction(model.words, press, progress);
        return (
          <button
            key={press}
            type="button"
            class={press === next ? 'main' : ''}
            disabled={action === undefined}
            onClick={() => action && void model.act(action)}
          >
            {steps.buttons[press]}
          </button>
        );
      })}
      {isNext ? <p>{steps.text[name]}</p> : null}
      {course === undefined ? null : (
        <Link model={model} to={`/deliveries/${course.id}`}>
          {course.statuses.join(' ')}
        </Link>
      )}
    </li>
  );
}

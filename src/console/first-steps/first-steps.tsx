import type { Child } from 'hono/jsx';
import { CopyButton } from '../frame/copy-button.js';
import { Link } from '../frame/link.js';
import type { Action } from '../model/actions.js';
import type { Console } from '../model/console.js';
import { toneOfState } from '../model/rows.js';
import type { Stories } from '../model/stories.js';
import type { Words } from '../words/words.js';
import type { StepName } from './progress.js';
import { hasDeliveries, progressOf, STEPS } from './progress.js';
import { receiverActions } from './receiver-actions.js';

const STORED = 'pix-sandbox-first-steps';
const FORWARD = 'npx sandbox start --forward-to 3000/webhooks';

/** Leads from an empty console to a signed delivery, its failure, its retries and the dead letter. */
export function FirstSteps({ model }: { model: Console }) {
  const { words, stories } = model;
  const receiver = model.resources.read(
    'receiver',
    (client) => client.get('receiver'),
    ({ kind }) => kind === 'attempt' || kind === 'listener',
  ).value;
  const isWanted = receiver?.on === true || !hasDeliveries(stories);
  if (receiver === undefined || !isWanted || localStorage.getItem(STORED) === 'done') return null;
  const done = progressOf(stories, receiver);
  const next = STEPS.find((name) => !done.has(name));
  const dismiss = () => {
    localStorage.setItem(STORED, 'done');
    model.changed();
  };
  return (
    <section class="steps" aria-label={words.steps.region}>
      <h2>{words.steps.region}</h2>
      <ol>
        {STEPS.map((name) => (
          <li key={name} class={done.has(name) ? 'done' : name === next ? 'next' : 'later'}>
            <p>
              <span aria-hidden="true">{done.has(name) ? '✓ ' : '○ '}</span>
              {words.steps.text[name]}{' '}
              {done.has(name) ? <span class="hidden">{words.steps.done}</span> : null}
            </p>
            <div class="buttons">{buttonsOf(model, name)}</div>
          </li>
        ))}
      </ol>
      {next === undefined ? (
        <p>
          {words.steps.own} <code>{FORWARD}</code> <CopyButton model={model} text={FORWARD} />
        </p>
      ) : null}
      <button type="button" class="quiet" onClick={dismiss}>
        {words.steps.dismiss}
      </button>
    </section>
  );
}

/** The buttons of a step. */
function buttonsOf(model: Console, name: StepName): Child {
  const { words } = model;
  const receiver = receiverActions(words);
  const button = (label: string, action: Action) => (
    <button key={label} type="button" onClick={() => void model.act(action)}>
      {label}
    </button>
  );
  switch (name) {
    case 'receiver': {
      return button(words.steps.turnOn, receiver.answer(200));
    }
    case 'pay': {
      return button(words.steps.pay, payAction(words));
    }
    case 'failThrice': {
      return button(words.steps.failThrice, receiver.answer({ fail: 3 }));
    }
    case 'deadLetter': {
      return button(words.steps.failAlways, receiver.answer(500));
    }
    case 'retry': {
      return [button(words.steps.answerAgain, receiver.answer(200)), <DeadLetter key="dead" model={model} />];
    }
  }
}

function payAction(words: Words): Action {
  return {
    done: words.trigger.done('pix.settled'),
    command: 'trigger pix.settled',
    run: (client) => client.post('trigger', { body: { type: 'pix.settled' } }),
  };
}

/** A link to a delivery whose eight attempts failed. */
function DeadLetter({ model }: { model: Console }) {
  const id = deadLetterOf(model.stories);
  if (id === undefined) return null;
  return (
    <Link model={model} to={`/deliveries/${id}`} class={toneOfState('FAILED')}>
      {model.words.steps.openDeadLetter}
    </Link>
  );
}

function deadLetterOf(stories: Stories): string | undefined {
  let found: string | undefined;
  for (const { entry } of stories.steps()) {
    if (entry.kind === 'delivery' && entry.to === 'FAILED') found = entry.id ?? undefined;
  }
  return found;
}

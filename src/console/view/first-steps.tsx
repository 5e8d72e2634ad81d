import { isDisabled } from '../../contract/transitions.js';
import type { ReceiverView } from '../../http/control/listeners.js';
import type { ReceiverReply } from '../../sandbox/test-receiver.js';
import { receiverActions, RECEIVER_REPLIES } from '../model/actions.js';
import {
  type FirstStepsProgress,
  computeProgress,
  type OwnReceiver,
  createStepAction,
  type StepName,
  FIRST_STEPS,
} from '../model/first-steps.js';
import { consoleTexts } from '../words.js';
import {
  renderActionButton,
  renderButton,
  renderCommand,
  renderLink,
  renderSelect,
  renderToned,
} from './parts.js';
import { model } from './screen.js';

export const FORWARD_COMMAND = 'npx sandbox start --forward-to 3000/webhooks';

const STORED = 'pix-sandbox-first-steps';

/**
 * Returns false if the user has hidden the steps; otherwise true while steps are unfinished, while the test
 * receiver is on, or after the user has opened the steps.
 */
function areStepsShown(isReceiverOn: boolean, { next }: FirstStepsProgress): boolean {
  const stored = localStorage.getItem(STORED);
  return stored !== 'done' && (stored === 'open' || isReceiverOn || next !== undefined);
}

/** Reads the state of the application's own receiver. */
function getOwnReceiver(): OwnReceiver {
  const endpoints = model.resources.get('endpoints').value?.data ?? [];
  const faults = model.resources.get('faults').value?.data ?? [];
  return {
    isReady: endpoints.some(
      ({ status, transport, connected }) =>
        !isDisabled(status) && (transport === 'http' || connected === true),
    ),
    isBroken: faults.some(({ action }) => action === 'answer'),
  };
}

function hideSteps(): void {
  localStorage.setItem(STORED, 'done');
  model.changed();
}

export function openFirstSteps(): void {
  localStorage.setItem(STORED, 'open');
  model.go('/');
}

/** Guides the user to a signed delivery, a dead letter and its retry. Also shows an active test receiver. */
export function FirstSteps() {
  const view = model.resources.get('receiver').value;
  if (view === undefined) return null;
  const progress = computeProgress(model.histories, view, getOwnReceiver());
  return (
    <>
      {areStepsShown(view.on, progress) ? <Steps progress={progress} /> : null}
      {view.on ? <ReceiverBar receiver={view} /> : null}
    </>
  );
}

function Steps({ progress }: { progress: FirstStepsProgress }) {
  const { steps } = consoleTexts;
  const { done, next } = progress;
  const names = Object.keys(FIRST_STEPS) as StepName[];
  const current = names.find((name) => !done.has(name));
  return (
    <section class="steps" aria-label={steps.region}>
      <h2>{steps.region}</h2>
      {renderButton(steps.dismiss, hideSteps, { kind: 'quiet close' })}
      <ol>
        {names.map((name) => {
          const press = FIRST_STEPS[name];
          const history = done.get(name);
          return (
            <li key={name} class={done.has(name) ? 'done' : ''}>
              <h3>
                <span aria-hidden="true">{done.has(name) ? '✓ ' : '○ '}</span>
                {steps.names[name]} {done.has(name) ? <span class="hidden">({steps.done})</span> : null}
              </h3>
              {done.has(name) && press !== next
                ? null
                : renderActionButton(steps.buttons[press], createStepAction(press, progress), {
                    kind: press === next ? 'main' : undefined,
                  })}
              {name === current ? (
                <p>{progress.isOwn && name === 'deadLetter' ? steps.breakOwn : steps.text[name]}</p>
              ) : null}
              {history &&
                renderLink(
                  `/deliveries/${history.id}`,
                  `${consoleTexts.open}: ${history.statuses.join(' ')}`,
                )}
            </li>
          );
        })}
      </ol>
      {next === undefined ? (
        renderCommand(FORWARD_COMMAND, steps.own)
      ) : (
        <p role="status">{steps.next(steps.buttons[next])}</p>
      )}
    </section>
  );
}

/** Shows the active test receiver: its configurable reply and last delivery. */
function ReceiverBar({ receiver: { answer, received } }: { receiver: ReceiverView }) {
  const { receiver: texts, detail } = consoleTexts;
  const last = received.at(-1);
  const choices = new Map(
    [answer, ...RECEIVER_REPLIES].map((reply) => [JSON.stringify(reply), texts.reply(reply)]),
  );
  const choose = (json: string) =>
    void model.act(receiverActions.reply(JSON.parse(json) as ReceiverReply), choices.get(json) ?? '');
  return (
    <section class="receiver" aria-label={texts.region}>
      {renderSelect(texts.region, [...choices], JSON.stringify(answer), choose)}
      {last && (
        <span>
          {texts.received(received.length)}{' '}
          {renderToned(detail.verified(last.verdict.ok, last.verdict.message), last.verdict.ok)}
        </span>
      )}
      {renderActionButton(texts.turnOff, receiverActions.off, { kind: 'quiet' })}
    </section>
  );
}

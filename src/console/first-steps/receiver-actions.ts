import { RETRY_SCHEDULES } from '../../contract/limits.js';
import type { ReceiverAnswer } from '../../sandbox/test-receiver.js';
import type { Action } from '../model/actions.js';
import type { Words } from '../words/words.js';

const ATTEMPTS = RETRY_SCHEDULES.real.length;

/** The answers that the test receiver can be set to with one choice, by their names. */
export const ANSWERS = {
  '200': 200,
  '400': 400,
  '410': 410,
  '500': 500,
  '503': 503,
  timeout: 'timeout',
  'fail-3': { fail: 3 },
  'refuse-3': { refuse: 3 },
} as const satisfies Readonly<Record<string, ReceiverAnswer>>;

export type AnswerName = keyof typeof ANSWERS;

/** How the commands of a terminal say what the test receiver answers to each delivery. */
function simulated(answer: ReceiverAnswer): string {
  if (answer === 200) return '';
  const isFailing = typeof answer === 'object';
  const length = isFailing && 'fail' in answer ? answer.fail : ATTEMPTS;
  const attempts = Array.from({ length }, () => (isFailing ? 500 : answer));
  return ` --simulate ${attempts.join(',')}${isFailing ? ',ok' : ''}`;
}

/** Turns the test receiver on with an answer, or changes its answer; and turns it off. */
export function receiverActions({ receiver }: Words) {
  return {
    answer: (answer: ReceiverAnswer): Action => ({
      done: receiver.isSet(receiver.answer(answer)),
      command: `listen${simulated(answer)}`,
      run: (client) => client.post('receiver', { body: { answer } }),
    }),
    off: { done: receiver.isOff, command: undefined, run: (client) => client.delete('receiver') } as Action,
  };
}

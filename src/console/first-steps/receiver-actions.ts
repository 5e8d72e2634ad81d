import type { ReceiverAnswer } from '../../sandbox/test-receiver.js';
import type { Action } from '../model/actions.js';
import type { Words } from '../words/words.js';

/** How the commands of a terminal say what the test receiver answers. */
function simulated(answer: ReceiverAnswer): string {
  if (typeof answer === 'object') return ` --simulate ${'500,'.repeat(answer.fail)}ok`;
  return answer === 200 ? '' : ` --simulate ${answer}`;
}

/** Turns the test receiver on with an answer, or changes its answer; and turns it off. */
export function receiverActions({ receiver }: Words) {
  return {
    answer: (answer: ReceiverAnswer): Action => ({
      done: receiver.answers(typeof answer === 'object' ? receiver.failing(answer.fail) : String(answer)),
      command: `listen${simulated(answer)}`,
      run: (client) => client.post('receiver', { body: { answer } }),
    }),
    off: { done: receiver.isOff, command: undefined, run: (client) => client.delete('receiver') } as Action,
  };
}

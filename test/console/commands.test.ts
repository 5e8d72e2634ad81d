import { expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program/program.js';
import { clockActions } from '../../src/console/clock/actions.js';
import { jumpAction, replayAction, resendAction, retryAction } from '../../src/console/detail/actions.js';
import { ANSWERS, receiverActions } from '../../src/console/first-steps/receiver-actions.js';
import { retryAllAction } from '../../src/console/live/retry-all.js';
import type { Action } from '../../src/console/model/actions.js';
import { EN } from '../../src/console/words/words.js';

const clock = clockActions(EN);
const receiver = receiverActions(EN);
const HOSTILE = `{"name":"O'Neill $(rm) \`x\` \\n","lines":"a\nb"}`;
const replay = (otherwise: Parameters<typeof replayAction>[2]) =>
  replayAction(EN, 'req_1', otherwise, () => undefined);

/** Each action, and the words of its command. */
const ACTIONS: readonly (readonly [Action | undefined, string])[] = [
  [clock.next, 'clock next'],
  [clock.advance('45h'), 'clock advance 45h'],
  [clock.freeze, 'clock freeze'],
  [clock.speed(1), 'clock reset'],
  [clock.speed(60), 'clock speed 60'],
  [jumpAction(EN, '2026-01-31T12:36:00.500Z', Date.parse('2026-01-31T12:00:00Z')), 'clock advance 36m500ms'],
  [retryAction(EN, 'd-1'), 'deliveries retry d-1'],
  [resendAction(EN, 'evt_1', undefined), 'events resend evt_1'],
  [resendAction(EN, 'evt_1', 'e-1'), 'events resend evt_1 --endpoint e-1'],
  [replay({}), 'calls replay req_1'],
  [replay({ newCode: true }), 'calls replay req_1 --new-code'],
  [replay({ body: HOSTILE }), `calls replay req_1 --body=${HOSTILE}`],
  [replay({ body: '' }), 'calls replay req_1 --body='],
  [replay({ body: '-x' }), 'calls replay req_1 --body=-x'],
  [
    retryAllAction(EN, { count: 1, eventType: 'pix.*', endpoint: 'e-1' }),
    'deliveries retry --failed --event pix.* --endpoint e-1',
  ],
  ...Object.values(ANSWERS).map((answer) => {
    const action = receiver.answer(answer);
    return [action, action.command ?? ''] as const;
  }),
];

/** The words that a shell makes of a command: quoted and bare parts, next to each other in one word. */
function shellWords(command: string): string[] {
  return Array.from(command.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g), ([word]) =>
    word.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  );
}

test.for(ACTIONS)('$1: the program takes what the console says', async ([action, words]) => {
  const typed = shellWords(action?.command ?? '');
  expect(typed.join(' ')).toBe(words);
  const ran: string[] = [];
  const said: string[] = [];
  const output = {
    out: () => undefined,
    err: (text: string) => void said.push(text),
    program: 'npx sandbox',
  };
  const exitCode = await runProgram(
    typed,
    (command) => {
      ran.push(command.name);
      return Promise.resolve(0);
    },
    output,
  );
  expect([exitCode, said]).toEqual([0, []]);
  expect(words.startsWith(ran[0] ?? 'nothing')).toBe(true);
});

test('a body that a terminal would read from a file has no command', () => {
  expect(replay({ body: '@file' }).command).toBeUndefined();
  expect(replay({ body: '-' }).command).toBeUndefined();
});

import type { ControlClient } from '../../client/control.js';
import type { ChargeView, WithdrawalView } from '../../http/control/schema.js';
import { parseAmount } from '../../contract/money.js';
import { CliError, EXIT } from '../program/errors.js';
import { oneLine } from '../terminal/text.js';
import { withSandbox } from '../sandbox/find-sandbox.js';
import type { Asker, Choice, Questions } from '../prompts/asker.js';
import type { Invocation } from '../program/declaration.js';

type Payment = ChargeView | WithdrawalView;
type What = 'charge' | 'withdrawal';

const MOVABLE: Readonly<Record<What, Readonly<Record<string, readonly string[]>>>> = {
  charge: { settle: ['PENDING', 'EXPIRED'], fail: ['PENDING'], expire: ['PENDING'] },
  withdrawal: {
    process: ['PENDING'],
    settle: ['PROCESSING', 'PENDING'],
    fail: ['PENDING', 'PROCESSING'],
    return: ['SETTLED'],
  },
};

/** The states in which each verb is allowed (§3), the likeliest first. */
export function movable(what: What, verbs: readonly string[]): readonly string[] {
  return verbs.flatMap((verb) => MOVABLE[what][verb] ?? []);
}

const LONGEST_CODE = 40;

/** Payments in these states as choices, the newest of each state first; `another one` is added if there are more. */
export async function paymentChoices(
  client: ControlClient,
  what: What,
  states: readonly string[],
): Promise<readonly Choice<string | undefined>[]> {
  const pages = await Promise.all(states.map((status) => client.get(`${what}s`, { status, limit: '50' })));
  const choices = pages.flatMap(({ data }) => data.map(choiceOf));
  const hasMore = pages.some(({ paging }) => paging.after !== null);
  return hasMore ? [...choices, { value: undefined, name: 'another one' }] : choices;
}

function choiceOf({ code, amount, status }: Payment): Choice<string> {
  return { value: code, name: `${oneLine(code, LONGEST_CODE)}  ${amount}  ${status}` };
}

/** The code or id of a choice; asks for it if the choice is another one. */
export async function nameOf(what: What, chosen: string | undefined, asker: Asker): Promise<string> {
  if (chosen !== undefined) return chosen;
  return asker.write(`Code or id of the ${what}:`, '', (text) =>
    text === '' ? `Type the code or the id of a ${what}.` : undefined,
  );
}

/** Asks which payment to move, for `charges settle` and similar commands. */
export function moveQuestions(what: What, verb: string): Questions<Invocation> {
  return (invocation, asker) =>
    withSandbox(invocation, async (client) => {
      const states = movable(what, [verb]);
      const choices = await paymentChoices(client, what, states);
      if (choices.length === 0) throw nothingToMove(what, verb, states);
      const chosen = await asker.choose(`Which ${what} is to ${verb}?`, choices);
      return { args: [await nameOf(what, chosen, asker)] };
    });
}

function nothingToMove(what: What, verb: string, states: readonly string[]): CliError {
  const message = `There is no ${what} to ${verb}: none is ${states.join(' or ')}.`;
  const hint = `Create one with \`npx sandbox ${what}s create\`.`;
  return new CliError(EXIT.no, 'NOTHING_TO_CHOOSE', message, { hint });
}

export const newPaymentQuestions: Questions<Invocation> = async (_, asker) => {
  const amount = await asker.write('Amount:', '10.00', amountProblem);
  const code = await asker.write('Your code for it (empty: the sandbox chooses one):', '', codeProblem);
  return { args: [], options: { amount, code: code === '' ? undefined : code } };
};

function amountProblem(text: string): string | undefined {
  const amount = parseAmount(text);
  return 'problem' in amount ? `It ${amount.problem}.` : undefined;
}

function codeProblem(text: string): string | undefined {
  return text === '' || /^[!-~]{1,100}$/.test(text)
    ? undefined
    : 'Use 1 to 100 printable characters without space.';
}

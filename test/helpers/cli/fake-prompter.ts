import type { Prompter, PromptChoice } from '../../../src/cli/prompts/prompter.js';
import type { CliSandbox } from './cli-sandbox.js';
import type { FakeIoOptions } from './cli-io.js';
import { commandNamed, fakeIo } from './cli-io.js';

/** A question that was asked, with the names that were offered. */
export interface Asked {
  readonly question: string;
  readonly offered: readonly string[];
}

/** An answer: the name of a choice, names of several, a text, or yes and no. */
export type Answer = string | readonly string[] | boolean;

/** Answers in order, and fails on a question that there is no answer for, or to which the answer does not fit. */
export class FakeAsker implements Prompter {
  readonly asked: Asked[] = [];
  readonly #answers: Answer[];

  constructor(...answers: readonly Answer[]) {
    this.#answers = [...answers];
  }

  get isDone(): boolean {
    return this.#answers.length === 0;
  }

  readonly choose: Prompter['choose'] = async (question, choices) => {
    return named(choices, this.#next(question, choices));
  };

  readonly chooseSome: Prompter['chooseSome'] = async (question, choices) => {
    const names = this.#next(question, choices);
    if (!Array.isArray(names)) throw new TypeError(`${question} wants several; got ${String(names)}`);
    return names.map((name: string) => named(choices, name));
  };

  readonly write: Prompter['write'] = async (question, likely, check = () => undefined) => {
    const answer = this.#next(question, [{ value: likely, name: likely }]);
    const text = answer === 'the likely one' ? likely : String(answer);
    const problem = check(text);
    if (problem !== undefined) throw new Error(`${question} ${problem}`);
    return text;
  };

  readonly confirm: Prompter['confirm'] = async (question, likely) => {
    return this.#next(question, [{ value: likely, name: String(likely) }]) === true;
  };

  #next(question: string, choices: readonly PromptChoice<unknown>[]): Answer {
    this.asked.push({ question, offered: choices.map(({ name }) => name) });
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error(`Nobody expected to be asked: ${question}`);
    return answer;
  }
}

function named<Value>(choices: readonly PromptChoice<Value>[], answer: Answer): Value {
  const choice = choices.find(({ name }) => name === answer);
  if (choice === undefined) {
    throw new Error(`There is no ${String(answer)} among ${choices.map(({ name }) => name).join(', ')}`);
  }
  return choice.value;
}

interface Typed {
  readonly args?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

/** What a command runs with when these answers are given to its questions, beside what was typed. */
export async function completed(
  command: string,
  answers: readonly Answer[],
  typed: Typed = {},
  more: FakeIoOptions = {},
) {
  const { io, stdout, stderr } = fakeIo({ interactive: true, ...more });
  const asker = new FakeAsker(...answers);
  const { args: words = [], options: first = {} } = typed;
  const line = { io, args: words, given: first };
  const { args, given } = await (await commandNamed(command)).complete(line, asker);
  if (!asker.isDone) throw new Error('Expected more questions.');
  if (stdout() !== '') throw new Error(`Expected nothing on stdout; got ${stdout()}`);
  return { args, options: given, command: stderr().trimEnd(), asked: asker.asked };
}

/** The same where a sandbox runs. */
export function askedIn(
  { server }: CliSandbox,
  command: string,
  answers: readonly Answer[],
  typed: Typed = {},
) {
  return completed(command, answers, typed, { env: { SANDBOX_URL: server.url } });
}

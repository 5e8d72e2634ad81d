import { checkbox, confirm, input, search, select } from '@inquirer/prompts';
import type { ParsedArguments } from '../program/declaration.js';
import { CliError, INTERRUPTED_EXIT_CODE } from '../program/errors.js';
import type { Io } from '../program/io.js';
import { type PromptAnswers, type Prompter, type PromptChoice, formatCommand } from './prompter.js';

/** Maximum list length without a search prompt. */
const MOST_WITHOUT_SEARCH = 8;
const ROWS = 10;
/** Prompts on stderr, because stdout is reserved for the command's result. */
function terminalAsker(io: Io): Prompter {
  const theme = themeOf(io.colors);
  const asked = <Answer>(ask: (context: Context) => Promise<Answer>) => runPrompt(io, ask);
  return {
    choose: (message, choices) =>
      asked((context) =>
        choices.length > MOST_WITHOUT_SEARCH
          ? search({ message, theme, pageSize: ROWS, source: (typed) => matching(choices, typed) }, context)
          : select({ message, theme, pageSize: ROWS, loop: false, choices }, context),
      ),
    chooseSome: (message, choices) =>
      asked((context) =>
        checkbox({ message, theme, pageSize: ROWS, loop: false, required: true, choices }, context),
      ),
    write: async (message, likely, check = () => undefined) => {
      const validate = (text: string) => check(text.trim()) ?? true;
      const text = await asked((context) =>
        input({ message, theme, ...(likely === '' ? {} : { default: likely }), validate }, context),
      );
      return text.trim();
    },
    confirm: (message, likely) => asked((context) => confirm({ message, theme, default: likely }, context)),
  };
}

/** Filters choices by the typed text, ignoring case. */
function matching<Value>(
  choices: readonly PromptChoice<Value>[],
  typed = '',
): readonly PromptChoice<Value>[] {
  const wanted = typed.trim().toLowerCase();
  return choices.filter(({ name, description = '' }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
}

interface Context {
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Resolves to the user's input. Rejects on Ctrl-C, Ctrl-D or a stop signal. */
async function runPrompt<Answer>({ stopping }: Io, ask: (context: Context) => Promise<Answer>) {
  const closed = new AbortController();
  // Ctrl-D closes stdin, so the prompt cannot resolve.
  const close = () => closed.abort();
  process.once('beforeExit', close);
  try {
    return await ask({ output: process.stderr, signal: AbortSignal.any([stopping, closed.signal]) });
  } catch (error) {
    const isLeaving = error instanceof Error && /^(Exit|Abort)PromptError$/.test(error.name);
    if (!isLeaving) throw error;
    throw new CliError(
      INTERRUPTED_EXIT_CODE,
      'NOT_ANSWERED',
      'The prompt was cancelled. Nothing was changed.',
    );
  } finally {
    process.off('beforeExit', close);
  }
}

/** Styles prompts with the command's colors, because the library's defaults ignore `--no-color`. */
function themeOf({ bold, cyan, dim, green, red }: Io['colors']) {
  // The library passes the prompt's state as a second argument, which chalk would print.
  const message = (text: string) => bold(text);
  const bright = { message, key: bold, answer: cyan, highlight: cyan, searchTerm: cyan, error: red };
  return {
    prefix: { idle: cyan('?'), done: green('✓') },
    spinner: { interval: 80, frames: ['?'] },
    icon: { checked: green('◉'), unchecked: '◯', cursor: '❯' },
    style: {
      ...bright,
      description: dim,
      disabled: dim,
      help: dim,
      defaultReply: (text: string) => dim(`(${text})`),
      keysHelpTip: (keys: [key: string, action: string][]) =>
        dim(keys.map(([key, action]) => `${key} ${action}`).join(' • ')),
    },
  };
}

/** Prompts for missing input, prints the equivalent command, and returns the complete input. */
export async function completeInvocation(
  command: string,
  typed: ParsedArguments,
  ask: (asker: Prompter) => Promise<PromptAnswers>,
  asker: Prompter = terminalAsker(typed.io),
): Promise<ParsedArguments> {
  const { io } = typed;
  const { args, options: answered = {} } = await ask(asker);
  const answers = Object.entries(answered).filter(([, value]) => value !== undefined);
  const given = { ...typed.given, ...Object.fromEntries(answers) };
  io.note(io.colors.dim(`$ ${io.program} ${formatCommand(command, args, given)}`));
  return { io, args, given };
}

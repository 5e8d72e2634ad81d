import { checkbox, confirm, input, search, select } from '@inquirer/prompts';
import type { ParsedArguments } from '../program/declaration.js';
import { CliError, INTERRUPTED_EXIT_CODE } from '../program/errors.js';
import type { Io } from '../program/io.js';
import { type PromptAnswers, type Prompter, type PromptChoice, formatCommand } from './prompter.js';

/** Longer lists are searched by typing. */
const MOST_WITHOUT_SEARCH = 8;
const ROWS = 10;
/** Asks on stderr, because stdout is for the result of the command. */
function terminalAsker(io: Io): Prompter {
  const theme = themeOf(io.colors);
  const asked = <Answer>(ask: (context: Context) => Promise<Answer>) => untilAnswered(io, ask);
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

/** The choices that contain the typed text, ignoring case. */
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

/** Resolves with the answer; throws on Ctrl-C, Ctrl-D or a signal to stop. */
async function untilAnswered<Answer>({ stopping }: Io, ask: (context: Context) => Promise<Answer>) {
  const closed = new AbortController();
  // Ctrl-D closes the input, which makes answers impossible.
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

/** The look of questions in the command's colors, because the library's own ignore `--no-color`. */
function themeOf({ bold, cyan, dim, green, red }: Io['colors']) {
  // The library also passes the state of the question, which a color would print.
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

/** Asks, prints the equivalent command, and returns the typed input with the answers. */
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

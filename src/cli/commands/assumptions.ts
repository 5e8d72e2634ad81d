import type { AssumptionLine } from '../../contract/assumptions.js';
import { declareCommand, type Invocation } from '../program/declaration.js';
import { URL_ONLY_EXITS } from '../program/errors.js';
import type { Io } from '../program/io.js';
import { toOneLine, wrapText } from '../terminal/text.js';

export default declareCommand({
  name: 'assumptions',
  summary: 'list the contract’s open questions, the sandbox’s assumptions, and the alternatives',
  description:
    'Shows the running sandbox’s assumptions, or this project’s if no sandbox is running. Configurable ' +
    'assumptions have an id for `start --assume`. `parity probe` compares them with the TEST environment.',
  exits: URL_ONLY_EXITS,
  related: ['parity probe', 'start', 'config'],
}).runs(async () => showAssumptions);

async function showAssumptions(invocation: Invocation): Promise<void> {
  const { io } = invocation;
  const { withRunningSandbox } = await import('../sandbox/find-sandbox.js');
  const running = await withRunningSandbox(invocation, (client) => client.get('assumptions'));
  if (running === undefined && !io.json) io.note('No sandbox is running; showing this project’s settings.');
  const register = running ?? (await defaultRegister(io));
  io.emit(register);
  const textOf = (isSwitched: boolean) =>
    register.data
      .filter(({ choices }) => (choices !== null) === isSwitched)
      .map((line) => block(io, line))
      .join('\n\n');
  io.say(`Configurable with \`${io.program} start --assume id=value\`:\n`);
  io.say(textOf(true));
  io.say('\nNot configurable:\n');
  io.say(textOf(false));
}

async function defaultRegister(io: Io) {
  const { readProjectAssumptions } = await import('./parity/files.js');
  return { data: readProjectAssumptions(io) };
}

const INDENT = '  ';

/** Formats an assumption with its value, question, reason and choices; highlights a non-default value. */
function block(io: Io, line: AssumptionLine): string {
  const { id, section, value, default: byDefault, question, reason, choices, observed } = line;
  const head = choices === null ? id : `${id} = ${toOneLine(value, 0)}`;
  const title = value === byDefault ? head : io.colors.yellow(`${head} (default: ${byDefault})`);
  const answer =
    choices === null ? [question, `Assumption: ${value}`, reason] : [question, reason, `Choices: ${choices}`];
  if (observed !== null) {
    const found = observed.matches
      ? 'matches'
      : `differs${observed.value === null ? '' : ` (${observed.value})`}, see \`parity check\``;
    answer.push(`Observed on ${observed.on}: ${found}.`);
  }
  const width = io.columns === 0 ? 0 : Math.max(io.columns - INDENT.length, 1);
  const below = answer.flatMap((text) => wrapText(toOneLine(text, 0), width)).map((one) => INDENT + one);
  return [`${title}  ${section}`, ...below].join('\n');
}

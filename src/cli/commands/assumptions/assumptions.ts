import type { RegisterLine } from '../../../http/control/schema.js';
import type { Invocation } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { withRunningSandbox } from '../../sandbox/find-sandbox.js';
import { oneLine, wrap } from '../../terminal/text.js';

const INDENT = '  ';

export async function showAssumptions(invocation: Invocation): Promise<void> {
  const { io } = invocation;
  const running = await withRunningSandbox(invocation, (client) => client.get('assumptions'));
  if (running === undefined && !io.json) io.note('No sandbox is running: these are the defaults.');
  const register = running ?? (await defaultRegister());
  io.emit(register);
  const switched = register.data.filter(({ choices }) => choices !== null);
  const fixed = register.data.filter(({ choices }) => choices === null);
  io.say(`Choose with \`${io.program} start --assume id=value\`:\n`);
  io.say(registerText(io, switched));
  io.say('\nWithout a choice:\n');
  io.say(registerText(io, fixed));
}

async function defaultRegister() {
  const { assume } = await import('../../../contract/assumptions.js');
  const { assumptionRegister } = await import('../../../contract/assumption-register.js');
  return { data: assumptionRegister(assume()) };
}

/**
 * The assumptions as text: each value, its question, the reason and the alternatives. Values that differ from
 * the default are marked.
 */
function registerText(io: Io, lines: readonly RegisterLine[]): string {
  return lines.map((line) => block(io, line)).join('\n\n');
}

function block(
  io: Io,
  { id, section, value, default: byDefault, question, reason, choices }: RegisterLine,
): string {
  const head = choices === null ? id : `${id} = ${oneLine(value, 0)}`;
  const title = value === byDefault ? head : io.colour.yellow(`${head} (the default is ${byDefault})`);
  const answer =
    choices === null ? [question, `Here: ${value}`, reason] : [question, reason, `Choices: ${choices}`];
  return [`${title}  ${section}`, ...indented(io, answer)].join('\n');
}

function indented({ columns }: Io, texts: readonly string[]): string[] {
  const width = columns === 0 ? 0 : Math.max(columns - INDENT.length, 1);
  return texts.flatMap((text) => wrap(oneLine(text, 0), width)).map((line) => INDENT + line);
}

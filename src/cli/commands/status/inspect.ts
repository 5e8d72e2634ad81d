import type { RegisterLine, StatusView } from '../../../http/control/schema.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { CommandBody } from '../../program/io.js';
import { registerText } from '../assumptions/text.js';
import { ENV_FORMATS, formatEnv } from '../env/formats.js';
import { statusText } from './text.js';
import { withRunningSandbox, withSandbox } from '../../sandbox/with-sandbox.js';

export const env: CommandBody = async (invocation) => {
  const { io, options } = invocation;
  const format = oneOfOrUsage('format', options.text('format') ?? 'dotenv', ENV_FORMATS);
  await withSandbox(invocation, async (client) => {
    const block = await client.get<Record<string, string>>('env');
    io.emit(block);
    io.say(formatEnv(block, format));
  });
};

export const status: CommandBody = (invocation) =>
  withSandbox(invocation, async (client) => {
    const { io } = invocation;
    const view = await client.get<StatusView>('status');
    io.emit(view);
    io.say(statusText(io, view));
  });

interface Register {
  readonly data: readonly RegisterLine[];
}

export const assumptions: CommandBody = async (invocation) => {
  const { io } = invocation;
  const running = await withRunningSandbox(invocation, (client) => client.get<Register>('assumptions'));
  if (running === undefined && !io.json) io.note('No sandbox is running: these are the defaults.');
  const register = running ?? (await defaultRegister());
  io.emit(register);
  const switched = register.data.filter(({ choices }) => choices !== null);
  const fixed = register.data.filter(({ choices }) => choices === null);
  io.say('Choose with `npx pix-sandbox start --assume id=value`:\n');
  io.say(registerText(io, switched));
  io.say('\nWithout a choice:\n');
  io.say(registerText(io, fixed));
};

async function defaultRegister(): Promise<Register> {
  const { assume } = await import('../../../contract/assumptions.js');
  const { assumptionRegister } = await import('../../../contract/assumption-register.js');
  return { data: assumptionRegister(assume()) };
}

import type { RegisterLine } from '../../../http/control/schema.js';
import type { Invocation } from '../../program/declaration.js';
import { withRunningSandbox } from '../../sandbox/with-sandbox.js';
import { registerText } from './text.js';

interface Register {
  readonly data: readonly RegisterLine[];
}

/** `sandbox assumptions` */
export async function showAssumptions(invocation: Invocation): Promise<void> {
  const { io } = invocation;
  const running = await withRunningSandbox(invocation, (client) => client.get('assumptions'));
  if (running === undefined && !io.json) io.note('No sandbox is running: these are the defaults.');
  const register = running ?? (await defaultRegister());
  io.emit(register);
  const switched = register.data.filter(({ choices }) => choices !== null);
  const fixed = register.data.filter(({ choices }) => choices === null);
  io.say('Choose with `npx pix-sandbox start --assume id=value`:\n');
  io.say(registerText(io, switched));
  io.say('\nWithout a choice:\n');
  io.say(registerText(io, fixed));
}

async function defaultRegister(): Promise<Register> {
  const { assume } = await import('../../../contract/assumptions.js');
  const { assumptionRegister } = await import('../../../contract/assumption-register.js');
  return { data: assumptionRegister(assume()) };
}

import type { FaultView } from '../../../http/control/schema.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../contract/fault-kinds.js';
import { askedFor } from '../../prompts/asked.js';
import { oneOfOrUsage } from '../../program/closest.js';
import { usageError } from '../../program/errors.js';
import type { Invocation, Options } from '../../program/io.js';
import { besideOrBelow, oneLine, table } from '../../terminal/text.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';

const ACTIONS = [...new Set([...Object.keys(CALL_FAULTS), ...Object.keys(DELIVERY_FAULTS)])];

function numberOption(options: Options, name: string): number | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw usageError(`--${name} takes a number; got ${text}.`);
  return value;
}

/** `sandbox faults add <action>` */
export async function add(given: Invocation): Promise<void> {
  const invocation = await askedFor(given.args.length === 0, given, async () => {
    return (await import('./questions.js')).addFaultQuestions;
  });
  const { io, args, options } = invocation;
  if (args[0] === undefined) {
    throw usageError(
      `Which fault? One of ${ACTIONS.join(', ')}.`,
      'For example: npx pix-sandbox faults add lose-response --count 1',
    );
  }
  const action = oneOfOrUsage('fault', args[0], ACTIONS);
  const body = {
    action,
    on: options.text('on'),
    door: options.text('door'),
    method: options.text('method'),
    path: options.text('path'),
    event: options.text('event'),
    endpoint: options.text('endpoint'),
    attempt: numberOption(options, 'attempt'),
    status: numberOption(options, 'status'),
    delay: options.text('delay'),
    copies: numberOption(options, 'copies'),
    probability: numberOption(options, 'probability'),
    count: numberOption(options, 'count'),
  };
  const fault = await withSandbox(invocation, (client) => client.post<FaultView>('faults', body));
  io.emit(fault);
  io.say(besideOrBelow([fault.id, oneLine(describe(fault), 0)], '  ', io.columns).join('\n'));
}

/** `sandbox faults list` */
export async function list(invocation: Invocation): Promise<void> {
  const { io } = invocation;
  const faults = await withSandbox(invocation, (client) => client.get<{ data: FaultView[] }>('faults'));
  io.emit(faults);
  if (faults.data.length === 0) {
    io.say('No faults.');
    return;
  }
  const columns = [
    { title: 'ID', value: ({ id }: FaultView) => id },
    { title: 'FAULT', value: describe, leastWidth: 20 },
    { title: 'FIRED', value: ({ fired, seen }: FaultView) => `${fired} of ${seen}` },
  ];
  io.say(table(faults.data, columns, io.columns));
}

/** `sandbox faults remove [id]` */
export async function remove(invocation: Invocation): Promise<void> {
  const { io, args, options } = invocation;
  const [id] = args;
  if (id === undefined && !options.flag('all')) {
    throw usageError('Which fault? Give its id, or --all.', '`npx pix-sandbox faults list` shows them.');
  }
  const path = id === undefined ? 'faults' : `faults/${encodeURIComponent(id)}`;
  const answer = await withSandbox(invocation, (client) => client.delete<{ removed: number }>(path));
  io.emit(answer);
  io.say(`Removed ${answer.removed}.`);
}

function describe(fault: FaultView): string {
  const { id: _id, action, on, seen: _seen, fired: _fired, probability, ...rest } = fault;
  const details = Object.entries(rest).filter(([, value]) => value !== null);
  const words = details.map(([name, value]) => `${name} ${value}`);
  const chance = probability === 1 ? [] : [`with probability ${probability}`];
  return [`${action} on ${on === 'call' ? 'calls' : 'deliveries'}`, ...words, ...chance].join(', ');
}

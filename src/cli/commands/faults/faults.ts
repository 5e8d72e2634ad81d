import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../contract/fault-kinds.js';
import type { FaultView } from '../../../http/control/schema.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { present } from '../../sandbox/present.js';
import { besideOrBelow, oneLine, table } from '../../terminal/text.js';
import type * as declared from './command.js';

const ACTIONS = [...new Set([...Object.keys(CALL_FAULTS), ...Object.keys(DELIVERY_FAULTS)])];

export const add: BodyOf<typeof declared.add> = async (invocation) => {
  const { args, options } = invocation;
  if (args.fault === undefined) {
    throw usageError(
      `Which fault? One of ${ACTIONS.join(', ')}.`,
      'For example: npx sandbox faults add lose-response --count 1',
    );
  }
  const action = oneOfOrUsage('fault', args.fault, ACTIONS);
  const { url: _url, delay, ...fields } = options;
  const added = present(
    (client) => client.post('faults', { body: { action, ...fields, delay: delay?.text } }),
    (io, fault) => besideOrBelow([fault.id, oneLine(describe(fault), 0)], '  ', io.columns).join('\n'),
  );
  await added(invocation);
};

export const list = present(
  (client) => client.get('faults'),
  (io, { data }) => (data.length === 0 ? 'No faults.' : table(io, data, COLUMNS)),
);

export const remove: BodyOf<typeof declared.remove> = async (invocation) => {
  const { args, options } = invocation;
  if (args.id === undefined && !options.all) {
    throw usageError('Which fault? Give its id, or --all.', '`npx sandbox faults list` shows them.');
  }
  const { id } = args;
  const removed = present(
    (client) => (id === undefined ? client.delete('faults') : client.delete('faults/:id', { id })),
    (_, answer) => `Removed ${answer.removed}.`,
  );
  await removed(invocation);
};

const COLUMNS = [
  { title: 'ID', value: ({ id }: FaultView) => id },
  { title: 'FAULT', value: describe, leastWidth: 20 },
  { title: 'FIRED', value: ({ fired, seen }: FaultView) => `${fired} of ${seen}` },
];

function describe(fault: FaultView): string {
  const { id: _id, action, on, seen: _seen, fired: _fired, probability, ...rest } = fault;
  const details = Object.entries(rest).filter(([, value]) => value !== null);
  const words = details.map(([name, value]) => `${name} ${value}`);
  const chance = probability === 1 ? [] : [`with probability ${probability}`];
  return [`${action} on ${on === 'call' ? 'calls' : 'deliveries'}`, ...words, ...chance].join(', ');
}

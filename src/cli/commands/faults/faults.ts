import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../contract/fault-kinds.js';
import type { FaultView } from '../../../http/control/schema.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodiesOf, InvocationOf } from '../../program/declaration.js';
import { usageError } from '../../program/errors.js';
import { present } from '../../sandbox/present.js';
import { besideOrBelow, oneLine, table } from '../../terminal/text.js';
import type { FAULTS } from './command.js';
import { EVENT_TYPES } from '../../../contract/enums.js';
import type { Answers, Asker, Choice, Questions } from '../../prompts/asker.js';

const ACTIONS = [...new Set([...Object.keys(CALL_FAULTS), ...Object.keys(DELIVERY_FAULTS)])];

export const faults: BodiesOf<typeof FAULTS> = {
  add: async (invocation) => {
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
  },
  list: present(
    (client) => client.get('faults'),
    (io, { data }) => (data.length === 0 ? 'No faults.' : table(io, data, COLUMNS)),
  ),
  remove: async (invocation) => {
    const { args, options } = invocation;
    const { id } = args;
    if (id === undefined && !options.all) {
      throw usageError('Which fault? Give its id, or --all.', '`npx sandbox faults list` shows them.');
    }
    const removed = present(
      (client) => (id === undefined ? client.delete('faults') : client.delete('faults/:id', { id })),
      (_, answer) => `Removed ${answer.removed}.`,
    );
    await removed(invocation);
  },
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

type Kind = 'call' | 'delivery';
type Invocation = InvocationOf<typeof FAULTS.add>;
type Options = Invocation['options'];
type Answered = NonNullable<Answers['options']>;

const KNOWN: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  call: CALL_FAULTS,
  delivery: DELIVERY_FAULTS,
};

/** The calls that a fault can hit, as options. */
const CALLS: readonly Choice<Answered>[] = [
  { value: { method: 'POST', path: '/api/public/v1/pix' }, name: 'creating a charge' },
  { value: { path: '/api/public/v1/*' }, name: 'the payments API' },
  { value: { door: 'identity' }, name: 'the identity API' },
  { value: {}, name: 'every call' },
];

const HOW_OFTEN: readonly Choice<Answered>[] = [
  { value: { count: '1' }, name: 'once' },
  { value: { probability: '0.2' }, name: 'one time in five' },
  { value: {}, name: 'every time, until it is removed' },
];

/** Asks which fault, what it hits and how often, unless already given. */
export const addFaultQuestions: Questions<Invocation> = async ({ options }, asker) => {
  const [kind, action] = await asker.choose('What should go wrong?', faultChoices(options));
  const isAmbiguous = action in CALL_FAULTS && action in DELIVERY_FAULTS;
  const on = isAmbiguous && options.on === undefined ? kind : undefined;
  return {
    args: [action],
    options: { on, ...(await target(kind, action, options, asker)), ...(await frequency(options, asker)) },
  };
};

function faultChoices(options: Options): Choice<[kind: Kind, action: string]>[] {
  const kinds = (['call', 'delivery'] as const).filter((kind) => (options.on ?? kind) === kind);
  return kinds.flatMap((kind) =>
    Object.entries(KNOWN[kind]).map(([action, meaning]): Choice<[Kind, string]> => ({
      value: [kind, action],
      name: `${kind}: ${action}`,
      description: meaning,
    })),
  );
}

async function target(kind: Kind, action: string, options: Options, asker: Asker): Promise<Answered> {
  if (isGiven(options, ['method', 'path', 'door', 'event', 'endpoint', 'attempt', 'code', 'resource', 'nth']))
    return {};
  // It follows the pages of an account, and hits no other call.
  if (action === 'insert-between-pages') return {};
  if (kind === 'call') return asker.choose('Which calls does it hit?', CALLS);
  return asker.choose<Answered>('Which deliveries does it hit?', [
    { value: {}, name: 'every delivery' },
    ...EVENT_TYPES.map((event) => ({ value: { event }, name: event })),
  ]);
}

async function frequency(options: Options, asker: Asker): Promise<Answered> {
  return isGiven(options, ['count', 'probability']) ? {} : asker.choose('How often?', HOW_OFTEN);
}

function isGiven(options: Options, names: readonly (keyof Options)[]): boolean {
  return names.some((name) => options[name] !== undefined);
}

import { MOVES } from '../../../contract/transitions.js';
import type { CommandDeclaration, OptionSpec, RawOptions } from '../../program/declaration.js';

/** Runs a command: its arguments and options are the tool’s parameters of the same names. */
interface CommandUse {
  readonly command: string;
  /** Parameters that become positional arguments, in order. */
  readonly args?: readonly string[];
  /** Options of the command that are parameters. */
  readonly options?: readonly string[];
  /** Parameter that the command reads as its input. */
  readonly stdin?: string;
  /** Options with fixed values. */
  readonly fixed?: RawOptions;
}

/** A tool for coding agents. Its parameters are derived from the commands that it runs. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  /** Set if the tool can remove data. */
  readonly isDestructive?: boolean;
  /** Commands by the value of the parameter `action`; a single command needs no action. */
  readonly actions: Readonly<Record<string, CommandUse>>;
  /** Descriptions of arguments, and of further parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Patterns of parameters. */
  readonly patterns?: Readonly<Record<string, string>>;
  /** Parameters required for every action. */
  readonly required?: readonly string[];
}

const ID = 'id, code, or the first characters of the id';

function listAndShow(one: string, many: string, command: string, options: readonly string[] = []) {
  return {
    [many]: { command: `${command} list`, options: [...options, 'limit'] },
    [one]: { command: `${command} show`, args: ['id'] },
  };
}

/** One action per move of a payment, e.g. `settle_charge`. */
const MOVE_ACTIONS = Object.fromEntries(
  (['charge', 'withdrawal'] as const).flatMap((kind) =>
    Object.keys(MOVES[kind]).map((move): [string, CommandUse] => {
      const options = move === 'fail' || move === 'return' ? ['reason'] : [];
      return [`${move}_${kind}`, { command: `${kind}s ${move}`, args: ['id'], options }];
    }),
  ),
);

/** All tools. The names are public. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  {
    name: 'sandbox_status',
    description: 'Status, clock, counts, balance and endpoints.',
    isReadOnly: true,
    actions: { status: { command: 'status' } },
  },
  {
    name: 'pay',
    description:
      'Create a charge or withdrawal, or act as the payer or the bank: settle, fail, expire, return.',
    isReadOnly: false,
    actions: {
      ...MOVE_ACTIONS,
      create_charge: { command: 'charges create', options: ['code', 'amount'] },
      create_withdrawal: { command: 'withdrawals create', options: ['code', 'amount'] },
    },
    parameters: { id: ID },
  },
  {
    name: 'trigger_event',
    description:
      'Cause an event, e.g. pix.settled, for a new or existing payment, and wait for its first attempts.',
    isReadOnly: false,
    actions: {
      trigger: {
        command: 'trigger',
        args: ['event'],
        options: ['charge', 'withdrawal', 'code', 'amount', 'reason', 'late', 'override'],
      },
    },
    parameters: {
      event: 'event type: pix.settled, pix.failed, pix.expired, withdrawal.settled, withdrawal.failed',
    },
    required: ['event'],
  },
  {
    name: 'what_happened',
    description:
      'Requests, events and delivery attempts with causes: of one payment (trace), or the latest (recent).',
    isReadOnly: true,
    actions: {
      trace: { command: 'trace', args: ['id'] },
      recent: { command: 'logs', options: ['filter', 'failed', 'since', 'limit'] },
    },
    parameters: { id: 'trace: id or code of a payment, event, delivery, request or session' },
  },
  {
    name: 'show',
    description: 'List resources, or show one with its details: exchanges, attempts, blocked deliveries.',
    isReadOnly: true,
    actions: {
      ...listAndShow('charge', 'charges', 'charges', ['status']),
      ...listAndShow('withdrawal', 'withdrawals', 'withdrawals', ['status']),
      ...listAndShow('event', 'events', 'events', ['type']),
      ...listAndShow('delivery', 'deliveries', 'deliveries', ['status', 'type']),
      calls: { command: 'calls list', options: ['status'] },
      call: { command: 'calls show', args: ['id'] },
      ...listAndShow('session', 'sessions', 'kyc', ['status']),
      ledger: { command: 'ledger', options: ['limit'] },
      endpoints: { command: 'endpoints list' },
      agenda: { command: 'agenda', options: ['limit'] },
      faults: { command: 'faults list' },
      snapshots: { command: 'state list' },
      assumptions: { command: 'assumptions' },
    },
    parameters: { id: ID },
  },
  {
    name: 'verify_signature',
    description: 'Verify a webhook and name the signing error: of a delivery, or from its headers and body.',
    isReadOnly: true,
    actions: {
      delivery: { command: 'verify', options: ['delivery', 'attempt'] },
      webhook: {
        command: 'verify',
        options: ['id', 'timestamp', 'signature', 'secret'],
        stdin: 'body',
      },
    },
    parameters: { delivery: 'id or payment code', body: 'webhook: the raw body' },
    // The command also reads files, as `@file`.
    patterns: { delivery: '^[^@{-]' },
  },
  {
    name: 'check_handler',
    description:
      'Send valid, forged, repeated and reordered webhooks to the configured receiver. Run it after every fix.',
    isReadOnly: false,
    actions: { check: { command: 'check', options: ['only', 'without'] } },
  },
  {
    name: 'explore_suite',
    description:
      'Run the configured test command under every allowed failure. start, then poll with status; stop ends it.',
    isReadOnly: false,
    actions: {
      start: { command: 'explore', options: ['budget', 'seed', 'faults'] },
      status: { command: 'explore' },
      stop: { command: 'explore' },
    },
  },
  {
    name: 'clock',
    description:
      'Advance sandbox time and run everything due, run the next due item, freeze, or return to real time.',
    isReadOnly: false,
    actions: {
      advance: { command: 'clock advance', args: ['duration'] },
      next: { command: 'clock next' },
      freeze: { command: 'clock freeze', args: ['instant'] },
      reset: { command: 'clock reset' },
    },
    parameters: { duration: 'e.g. 45h, long enough for every retry', instant: 'e.g. 2026-01-31T12:00:00Z' },
  },
  {
    name: 'world',
    description:
      'Faults, snapshots and reset: inject a failure, save, compare or restore a state, retry, reset everything.',
    isReadOnly: false,
    isDestructive: true,
    actions: {
      add_fault: {
        command: 'faults add',
        args: ['fault'],
        options: ['status', 'delay', 'nth', 'count', 'code', 'event'],
      },
      remove_faults: { command: 'faults remove', fixed: { all: true } },
      retry_delivery: { command: 'deliveries retry', args: ['id'] },
      save: { command: 'state save', args: ['name'] },
      restore: { command: 'state restore', args: ['name'] },
      compare: { command: 'state compare', args: ['name'] },
      reset: { command: 'reset' },
    },
    parameters: {
      fault: 'kind, e.g. duplicate, status, delay; an unknown kind lists all',
      id: ID,
      name: 'of a snapshot',
    },
  },
  {
    name: 'guide',
    description: 'Search the shipped documents, or read one. Read before writing a webhook handler.',
    isReadOnly: true,
    actions: {},
    parameters: {
      search: 'words, e.g. express raw body',
      page: 'a page from the search result, e.g. check',
      section: 'a heading of the page',
      part: 'number of a part of a long text, from 1',
    },
  },
];

interface JsonParameter {
  readonly type: 'string' | 'boolean' | 'array' | ('string' | 'integer')[];
  readonly description?: string;
  readonly enum?: string[];
  readonly items?: { readonly type: 'string' };
  readonly pattern?: string;
}

/** Creates the JSON Schema of a tool’s parameters from the commands that it runs. */
export function createToolSchema(tool: AgentTool, commandOf: (name: string) => CommandDeclaration) {
  const properties: Record<string, JsonParameter> = {};
  const actions = Object.keys(tool.actions);
  if (actions.length > 1) properties['action'] = { type: 'string', enum: actions };
  for (const { command, args = [], options = [] } of Object.values(tool.actions)) {
    const specs = commandOf(command).options;
    for (const name of args) properties[name] = { type: 'string', ...describe(tool, name) };
    for (const name of options) {
      const spec = specs[name];
      if (spec === undefined) throw new Error(`Expected ${command} to have the option ${name}.`);
      properties[name] ??= describeOption(tool, name, spec);
    }
  }
  for (const name of Object.keys(tool.parameters ?? {}))
    properties[name] ??= { type: 'string', ...describe(tool, name) };
  const required = [...(actions.length > 1 ? ['action'] : []), ...(tool.required ?? [])];
  return { type: 'object', properties, required, additionalProperties: false } as const;
}

function describe({ parameters = {} }: AgentTool, name: string) {
  const description = parameters[name];
  return description === undefined ? {} : { description };
}

function describeOption(
  tool: AgentTool,
  name: string,
  { placeholder, repeats, description }: OptionSpec<unknown>,
): JsonParameter {
  const pattern = tool.patterns?.[name];
  const text = {
    description: tool.parameters?.[name] ?? description.replace(/ \(default.*\)/, ''),
    ...(pattern !== undefined && { pattern }),
  };
  if (placeholder === undefined) return { type: 'boolean', ...text };
  if (repeats) return { type: 'array', items: { type: 'string' }, ...text };
  return { type: ['string', 'integer'], ...text };
}

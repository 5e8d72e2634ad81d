import type { ControlClient } from '../../client/control.js';
import type {
  ResponseOf,
  RouteParameters,
  RouteArguments,
  NewFault,
  PathOf,
  ControlApi,
} from '../../client/routes.js';
import { type CustomerType, EVENT_TYPES, type EventType } from '../../contract/enums.js';
import { isSharedAction } from '../../contract/fault-kinds.js';
import { RETRY_HOURS, RETRY_SCHEDULES } from '../../contract/limits.js';
import { formatDuration } from '../../contract/time.js';
import {
  isExpired,
  isPending,
  LATE_PAYMENT,
  getMove,
  type MoveOf,
  type MovePath,
  listMoves,
  type PaymentKind,
} from '../../contract/transitions.js';
import { shortenSessionId } from '../../core/identity/session.js';
import type { ReceiverReply } from '../../sandbox/test-receiver.js';
import { createCallScript, type CurlScheme } from '../../text/shell/curl.js';
import { quoteForShell } from '../../text/shell/words.js';

/** A control API request and its equivalent terminal command. */
export interface Action<Result = unknown> {
  /** The command without `npx sandbox`; undefined if no command is equivalent. */
  readonly command: string | undefined;
  readonly run: (client: ControlClient) => Promise<Result>;
}

export type OptionValue = string | number | boolean | readonly string[] | undefined;

export const STATE_FILE = 'state.json';
export const SCENARIO_FILE = 'scenario.json';

/**
 * Formats a command line without `npx sandbox`. Accepts option names in camelCase or snake_case, omits
 * undefined, false and empty options, and repeats the flag for each item of a list.
 */
export function formatCommandLine(
  name: string,
  args: readonly string[] = [],
  options: Readonly<Record<string, OptionValue>> = {},
): string {
  const flags = Object.entries(options).flatMap(([option, value]) => optionWords(option, value));
  const words = args.map(quoteForShell);
  const ordered = args.some((arg) => arg.startsWith('-')) ? [...flags, '--', ...words] : [...words, ...flags];
  return [name, ...ordered].join(' ');
}

function optionWords(option: string, value: OptionValue): string[] {
  const flag = `--${option.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === undefined || value === false || value === '') return [];
  if (value === true) return [flag];
  return [value].flat().map((one) => {
    const text = String(one);
    return text.startsWith('-') ? quoteForShell(`${flag}=${text}`) : `${flag} ${quoteForShell(text)}`;
  });
}

export function postAction<Path extends PathOf<'POST'>>(
  path: Path,
  command: string | undefined,
  ...input: RouteParameters<ControlApi, `POST ${Path}`>
): Action<ResponseOf<ControlApi, `POST ${Path}`>> {
  return { command, run: (client) => client.post(path, ...input) };
}

function remove<Path extends PathOf<'DELETE'>>(
  path: Path,
  command: string | undefined,
  ...input: RouteParameters<ControlApi, `DELETE ${Path}`>
): Action {
  return { command, run: (client) => client.delete(path, ...input) };
}

const advance = (by: string): Action =>
  postAction('clock/advance', formatCommandLine('clock advance', [by]), { body: { by } });
const freeze = (at?: string): Action =>
  postAction('clock/freeze', formatCommandLine('clock freeze', at === undefined ? [] : [at]), {
    body: { at },
  });
const run: Action = postAction('clock/reset', 'clock reset');

export const clockActions = {
  advance,
  freeze,
  run,
  next: postAction('clock/next', 'clock next'),
  speed: (rate: number): Action =>
    postAction('clock/speed', formatCommandLine('clock speed', [String(rate)]), { body: { rate } }),
  freezeOrRun: (rate: number): Action => (rate === 0 ? run : freeze()),
  /** Advances the clock past the last retry. */
  retries: advance(`${RETRY_HOURS}h`),
  /**
   * Advances the clock to an instant and runs everything due by then. A past instant leaves the clock
   * unchanged.
   */
  jump: (at: string, nowMs: number): Action =>
    advance(formatDuration(Math.max(0, Math.ceil(Date.parse(at) - nowMs)))),
};

/** Selects failed deliveries to retry: all, or only those with an event type or endpoint. */
export interface RetryActionFilter {
  readonly eventType?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** Creates an action that triggers an event for a new payment; `late` pays an expired charge. */
function trigger(type: EventType, late?: true) {
  return postAction('trigger', formatCommandLine('trigger', [type], { late }), { body: { type, late } });
}

/** One-click event triggers, by label name. */
export const TRIGGER_PRESETS = {
  ...(Object.fromEntries(EVENT_TYPES.map((type) => [type, trigger(type)])) as Readonly<
    Record<EventType, ReturnType<typeof trigger>>
  >),
  late: trigger(LATE_PAYMENT.event, true),
};

export const deliveryActions = {
  pay: TRIGGER_PRESETS['pix.settled'],
  pause: postAction('deliveries/pause', 'deliveries pause'),
  resume: postAction('deliveries/resume', 'deliveries resume'),
  retry: (id: string) => postAction('deliveries/:id/retry', `deliveries retry ${id}`, { id }),
  retryFailed: ({ eventType: event, endpoint }: RetryActionFilter) =>
    postAction(
      'deliveries/retry',
      formatCommandLine('deliveries retry', [], { failed: true, event, endpoint }),
      {
        body: { event_type: event, endpoint },
      },
    ),
  resend: (id: string, endpoint: string | undefined) =>
    postAction('events/:id/resend', formatCommandLine('events resend', [id], { endpoint }), {
      id,
      body: { endpoint },
    }),
  /** Resends a recorded request, optionally with another body or code. */
  replay: (id: string, { body, newCode = false }: { body?: string; newCode?: boolean } = {}) => {
    // The command line would interpret such a body as a file or stdin.
    const isTyped = body === undefined || !/^(?:@|-$)/.test(body);
    const flags = [body === undefined ? '' : quoteForShell(`--body=${body}`), newCode ? '--new-code' : ''];
    const command = isTyped ? ['calls replay', id, ...flags.filter(Boolean)].join(' ') : undefined;
    return postAction('calls/:id/replay', command, { id, body: { body, new_code: newCode } });
  },
};

type Input = Readonly<Record<string, OptionValue>>;

export const endpointActions = {
  /** Subscribes to all events if none are selected. */
  create: ({ url, events, description, app }: Input) => {
    const names = [events ?? []].flat().map(String);
    const options = { events: names.join(','), description, app };
    const body = { url, description, events: names.length === 0 ? EVENT_TYPES : names };
    return postAction('endpoints', formatCommandLine('endpoints create', [String(url ?? '')], options), {
      app,
      body,
    } as RouteArguments<ControlApi, 'POST endpoints'>);
  },
  rotate: (id: string) => postAction('endpoints/:id/rotate-secret', `endpoints rotate ${id}`, { id }),
  disable: (id: string) => postAction('endpoints/:id/disable', `endpoints disable ${id}`, { id }),
  enable: (id: string) => postAction('endpoints/:id/enable', `endpoints enable ${id}`, { id }),
  delete: (id: string) => remove('endpoints/:id', `endpoints delete ${id}`, { id }),
};

export const faultActions = {
  add: (fault: NewFault) => {
    const { action, on, ...rest } = fault;
    // The command requires `--on` only for faults that apply to both requests and deliveries.
    const command = formatCommandLine('faults add', [action], {
      on: isSharedAction(action) ? on : undefined,
      ...rest,
    });
    return postAction('faults', command, { body: fault });
  },
  remove: (id: string) => remove('faults/:id', `faults remove ${id}`, { id }),
  removeAll: remove('faults', 'faults remove --all'),
};

export const incidentActions = {
  start: (name: string) => postAction('incidents', `incident start ${name}`, { body: { name } }),
  stop: (name: string) => remove('incidents/:name', formatCommandLine('incident stop', [name]), { name }),
};

/** Returns a session id's prefix, which identifies the session but is not a credential. */
export function formatSessionName(id: string): string {
  return shortenSessionId(id).replace('…', '');
}

export const identityActions = {
  create: (type: CustomerType, app: string | undefined) =>
    postAction('kyc/sessions', formatCommandLine('kyc create', [], { customerType: type, app }), {
      app,
      body: { customer_type: type },
    }),
  /** Decides a session with a status or an error. `delay` determines when the decision becomes readable. */
  decide: (id: string, decision: Input) => {
    const { status, ...options } = decision;
    const args = [formatSessionName(id), status].filter((arg) => typeof arg === 'string');
    return postAction('kyc/sessions/:id/decide', formatCommandLine('kyc decide', args, options), {
      id,
      body: decision,
    });
  },
};

/** Dead-letters the next three deliveries. */
export const THREE_REFUSALS = { refuse: 3 } as const;
/** The test receiver's available replies. */
export const RECEIVER_REPLIES: readonly ReceiverReply[] = [
  ...([200, 400, 410, 500, 503, 'timeout'] as const),
  { fail: 3 },
  THREE_REFUSALS,
];

export const receiverActions = {
  reply: (answer: ReceiverReply) =>
    postAction('receiver', `listen${formatSimulateOption(answer)}`, { body: { answer } }),
  off: remove('receiver', undefined),
};

/** Returns the equivalent `listen` option. */
function formatSimulateOption(answer: ReceiverReply): string {
  if (answer === 200) return '';
  const isFailing = typeof answer === 'object';
  const length = isFailing && 'fail' in answer ? answer.fail : RETRY_SCHEDULES.real.length;
  const attempts = Array.from({ length }, () => (isFailing ? 500 : answer));
  return ` --simulate ${attempts.join(',')}${isFailing ? ',ok' : ''}`;
}

/** A scenario to run: a built-in name, or a file's name and content. */
export interface ScenarioInput {
  readonly name: string;
  readonly scenario?: object | undefined;
  readonly fresh: boolean;
}

export const scenarioActions = {
  run: ({ name, scenario, fresh }: ScenarioInput) =>
    postAction('scenarios/run', formatCommandLine('run', [name], { fresh }), {
      body: scenario === undefined ? { name, fresh } : { scenario, fresh },
    }),
  record: (name: string | undefined) =>
    postAction('scenarios/record', `run --record ${SCENARIO_FILE}`, { body: { name } }),
};

export const stateActions = {
  save: (name: string) =>
    postAction('state/snapshots', formatCommandLine('state save', [name]), { body: { name } }),
  restore: (name: string) =>
    postAction('state/snapshots/:name/restore', formatCommandLine('state restore', [name]), { name }),
  drop: (name: string) => remove('state/snapshots/:name', formatCommandLine('state drop', [name]), { name }),
  compare: (from: string, to: string | undefined) =>
    postAction('state/compare', formatCommandLine('state compare', to === undefined ? [from] : [from, to]), {
      body: { from, to },
    }),
  reset: postAction('reset', 'reset'),
  export: { command: `state export ${STATE_FILE}`, run: (client: ControlClient) => client.get('state') },
  import: (name: string, body: object): Action => ({
    command: formatCommandLine('state import', [name]),
    run: (client) => client.put('state', { body }),
  }),
};

/** An action allowed in a payment's status, optionally with a reason. */
export interface PaymentMove {
  readonly name: MoveOf<PaymentKind> | 'payLate';
  readonly button: string;
  readonly hasReason: boolean;
  readonly action: (reason?: string) => Action;
}

/** Lists the payer and bank actions allowed for a payment's status (§3). */
export function listPaymentActions(
  kind: PaymentKind,
  { id, status }: { readonly id: string; readonly status: string },
): PaymentMove[] {
  const all = listMoves(kind, status).map((name): PaymentMove => {
    const { hasReason = false, button } = getMove(kind, name);
    const shown = isExpired(status) ? LATE_PAYMENT : { name, button };
    const action = (reason?: string) =>
      postAction(
        `${kind}s/:id/${name}` as MovePath,
        formatCommandLine(`${kind}s ${name}`, [id], { reason }),
        {
          id,
          body: hasReason ? { reason } : undefined,
        },
      );
    return { name: shown.name, button: shown.button, hasReason, action };
  });
  if (kind === 'withdrawal' || !isPending(status)) return all;
  const body = { type: LATE_PAYMENT.event, charge: id, late: true };
  const payLate = postAction('trigger', `trigger ${body.type} --charge ${id} --late`, { body });
  return [...all, { ...LATE_PAYMENT, hasReason: false, action: () => payLate }];
}

/**
 * Returns shell commands that create the guides' example charge, signed with secrets from the environment.
 */
export function createCurlSnippet(env: Readonly<Record<string, string>>, scheme: CurlScheme): string {
  const charge = { code: 'first-charge', account_id: env['SANDBOX_ACCOUNT_ID'], amount: '10.00' };
  const body = JSON.stringify(charge);
  const request = {
    headers: [['content-type', 'application/json']] as const,
    body,
    body_bytes: body.length,
    truncated: false,
    redacted: false,
  };
  const call = { api: 'api', method: 'POST', path: '/api/public/v1/pix', request };
  const again = createCallScript(call, env['SANDBOX_BASE_URL'] ?? '', scheme);
  return `eval "$(npx sandbox env --format shell)"\n${'script' in again ? again.script : ''}\n`;
}

import type { ControlClient } from '../../client/control.js';
import type { AnswerOf, Arguments, NewFault, PathOf, Routes } from '../../client/routes.js';
import { type CustomerType, DEFAULT_FAILURE_REASON, EVENT_TYPES } from '../../contract/enums.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../contract/fault-kinds.js';
import { RETRY_SCHEDULES } from '../../contract/limits.js';
import { formatDuration } from '../../contract/time.js';
import type { ChargeStatus, WithdrawalStatus } from '../../contract/transitions.js';
import { movesFrom } from '../../contract/transitions.js';
import { shortSessionId } from '../../core/identity/session.js';
import type { ReceiverAnswer } from '../../sandbox/test-receiver.js';
import { shellQuoted } from '../../text/shell/words.js';
import type { Words } from '../words/words.js';

/** One control call, with the command that does the same in a terminal. */
export interface Action<Result = unknown> {
  /** Shown when it is done. */
  readonly done: string;
  /** After `npx sandbox `; undefined where no command does it. */
  readonly command: string | undefined;
  readonly run: (client: ControlClient) => Promise<Result>;
}

type OptionValue = string | number | boolean | readonly string[] | undefined;

/** The names of the files that a state is exported to, and a recorded scenario saved as. */
export const STATE_FILE = 'state.json';
export const SCENARIO_FILE = 'scenario.json';

/**
 * A command line after `npx sandbox `. Names of options may be in camelCase or snake_case; an option that
 * is undefined, false or empty is left out, and a list is passed item by item.
 */
export function commandLine(
  name: string,
  args: readonly string[] = [],
  options: Readonly<Record<string, OptionValue>> = {},
): string {
  const flags = Object.entries(options).flatMap(([option, value]) => optionWords(option, value));
  const words = args.map(shellQuoted);
  const ordered = args.some((arg) => arg.startsWith('-')) ? [...flags, '--', ...words] : [...words, ...flags];
  return [name, ...ordered].join(' ');
}

function optionWords(option: string, value: OptionValue): string[] {
  const flag = `--${option.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === undefined || value === false || value === '') return [];
  if (value === true) return [flag];
  return [value].flat().map((one) => {
    const text = String(one);
    return text.startsWith('-') ? shellQuoted(`${flag}=${text}`) : `${flag} ${shellQuoted(text)}`;
  });
}

function post<Path extends PathOf<'POST'>>(
  done: string,
  command: string | undefined,
  path: Path,
  ...input: Arguments<Routes, `POST ${Path}`>
): Action<AnswerOf<Routes, `POST ${Path}`>> {
  return { done, command, run: (client) => client.post(path, ...input) };
}

function remove<Path extends PathOf<'DELETE'>>(
  done: string,
  command: string | undefined,
  path: Path,
  ...input: Arguments<Routes, `DELETE ${Path}`>
): Action {
  return { done, command, run: (client) => client.delete(path, ...input) };
}

/** The failed deliveries to retry: all, or those of an event type or an endpoint. */
export interface RetryFilter {
  readonly eventType?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** A new endpoint; without events it subscribes to all of them. */
export interface EndpointInput {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
  readonly app?: string | undefined;
}

/** A status, or an error instead of it; a delay is how long until the decision can be read. */
export interface Decision {
  readonly status?: string | undefined;
  readonly document?: string | undefined;
  readonly delay?: string | undefined;
  readonly error?: string | undefined;
}

/** A scenario to run: a built-in one by its name, or one from a file of that name. */
export interface ScenarioInput {
  readonly name: string;
  readonly scenario?: object | undefined;
  readonly fresh: boolean;
}

/** Every action of the console. */
export function actionsOf(words: Words) {
  return {
    clock: clockActions(words),
    deliveries: deliveryActions(words),
    endpoints: endpointActions(words),
    faults: faultActions(words),
    identity: identityActions(words),
    receiver: receiverActions(words),
    scenarios: scenarioActions(words),
    state: stateActions(words),
  };
}

function clockActions({ clock, detail, instant }: Words) {
  const advance = (by: string, done = clock.moved(by)): Action =>
    post(done, commandLine('clock advance', [by]), 'clock/advance', { body: { by } });
  const freeze = post(clock.isFrozen, 'clock freeze', 'clock/freeze', { body: {} });
  const run = post(clock.runs, 'clock reset', 'clock/reset');
  const speed = (rate: number): Action =>
    post(
      rate === 1 ? clock.runs : clock.runsFast(rate),
      commandLine('clock speed', [String(rate)]),
      'clock/speed',
      { body: { rate } },
    );
  return {
    advance,
    freeze,
    run,
    speed,
    speedOrRun: (rate: number): Action => (rate === 1 ? run : speed(rate)),
    next: post(clock.didNext, 'clock next', 'clock/next'),
    freezeOrRun: (rate: number): Action => (rate === 0 ? run : freeze),
    /** Moves the clock to an instant and does all that falls due until then; to a past one, by nothing. */
    jump: (at: string, nowMs: number): Action => {
      const by = formatDuration(Math.max(0, Math.ceil(Date.parse(at) - nowMs)));
      return advance(by, detail.jumped(instant(at)));
    },
  };
}

function deliveryActions({ detail, live, endpoints, trigger }: Words) {
  return {
    pay: post(trigger.done('pix.settled'), 'trigger pix.settled', 'trigger', {
      body: { type: 'pix.settled' },
    }),
    pause: post(endpoints.paused, 'deliveries pause', 'deliveries/pause'),
    resume: post(endpoints.resumed, 'deliveries resume', 'deliveries/resume'),
    retry: (id: string) => post(detail.retried, `deliveries retry ${id}`, 'deliveries/:id/retry', { id }),
    retryFailed: ({ eventType: event, endpoint }: RetryFilter, done = live.retried) =>
      post(done, commandLine('deliveries retry', [], { failed: true, event, endpoint }), 'deliveries/retry', {
        body: { status: 'FAILED', event_type: event, endpoint },
      }),
    /** Sends an event again, to every subscriber or to one endpoint. */
    resend: (id: string, endpoint: string | undefined) =>
      post(detail.resent, commandLine('events resend', [id], { endpoint }), 'events/:id/resend', {
        id,
        body: { endpoint },
      }),
    /** Sends a recorded request again, as it was or with another body or code. */
    replay: (id: string, { body, newCode = false }: { body?: string; newCode?: boolean } = {}) => {
      // A terminal reads such a body from a file.
      const isTyped = body === undefined || !/^(?:@|-$)/.test(body);
      const flags = [body === undefined ? '' : shellQuoted(`--body=${body}`), newCode ? '--new-code' : ''];
      const command = isTyped ? ['calls replay', id, ...flags.filter(Boolean)].join(' ') : undefined;
      return post(detail.replayed, command, 'calls/:id/replay', { id, body: { body, new_code: newCode } });
    },
  };
}

function endpointActions({ endpoints: words }: Words) {
  return {
    create: ({ url, events, description, app }: EndpointInput) => {
      const command = commandLine('endpoints create', [url], { events: events.join(','), description, app });
      const body = { url, description, events: events.length === 0 ? EVENT_TYPES : events };
      return post(words.created(url), command, 'endpoints', { app, body });
    },
    rotate: (id: string) =>
      post(words.rotated, `endpoints rotate ${id}`, 'endpoints/:id/rotate-secret', { id }),
    disable: (id: string) => post(words.disabled, `endpoints disable ${id}`, 'endpoints/:id/disable', { id }),
    enable: (id: string) => post(words.enabled, `endpoints enable ${id}`, 'endpoints/:id/enable', { id }),
    delete: (id: string) => remove(words.deleted, `endpoints delete ${id}`, 'endpoints/:id', { id }),
  };
}

function faultActions({ faults: words }: Words) {
  return {
    add: (fault: NewFault) => {
      const { action, on, ...rest } = fault;
      // A command says which side it means only where both know the fault.
      const isOfBoth = action in CALL_FAULTS && action in DELIVERY_FAULTS;
      const command = commandLine('faults add', [action], { on: isOfBoth ? on : undefined, ...rest });
      return post(words.created(action), command, 'faults', { body: fault });
    },
    remove: (id: string) => remove(words.removed, `faults remove ${id}`, 'faults/:id', { id }),
    removeAll: remove(words.removedAll, 'faults remove --all', 'faults'),
  };
}

/** The beginning of a session's id, which finds it and is no credential. */
export function sessionName(id: string): string {
  return shortSessionId(id).replace('…', '');
}

function identityActions({ identity: words }: Words) {
  return {
    create: (type: CustomerType, app: string | undefined) =>
      post(words.created, commandLine('kyc create', [], { customerType: type, app }), 'kyc/sessions', {
        app,
        body: { customer_type: type },
      }),
    decide: (id: string, decision: Decision) => {
      const { status, ...options } = decision;
      const done = status === undefined ? words.reported(decision.error ?? '') : words.decided(status);
      const args = status === undefined ? [sessionName(id)] : [sessionName(id), status];
      return post(done, commandLine('kyc decide', args, options), 'kyc/sessions/:id/decide', {
        id,
        body: decision,
      });
    },
  };
}

/** The replies that the test receiver can be set to with one choice, by their names. */
export const RECEIVER_REPLIES = {
  '200': 200,
  '400': 400,
  '410': 410,
  '500': 500,
  '503': 503,
  timeout: 'timeout',
  'fail-3': { fail: 3 },
  'refuse-3': { refuse: 3 },
} as const satisfies Readonly<Record<string, ReceiverAnswer>>;

function receiverActions({ receiver }: Words) {
  return {
    reply: (answer: ReceiverAnswer) =>
      post(receiver.isSet(receiver.answer(answer)), `listen${simulated(answer)}`, 'receiver', {
        body: { answer },
      }),
    off: remove(receiver.isOff, undefined, 'receiver'),
  };
}

/** The option with which `listen` replies the same to each delivery. */
function simulated(answer: ReceiverAnswer): string {
  if (answer === 200) return '';
  const isFailing = typeof answer === 'object';
  const length = isFailing && 'fail' in answer ? answer.fail : RETRY_SCHEDULES.real.length;
  const attempts = Array.from({ length }, () => (isFailing ? 500 : answer));
  return ` --simulate ${attempts.join(',')}${isFailing ? ',ok' : ''}`;
}

function scenarioActions({ scenarios: words }: Words) {
  return {
    run: ({ name, scenario, fresh }: ScenarioInput) =>
      post(words.ran(name), commandLine('run', [name], { fresh }), 'scenarios/run', {
        body: scenario === undefined ? { name, fresh } : { scenario, fresh },
      }),
    record: (name: string | undefined) =>
      post(words.recorded, `run --record ${SCENARIO_FILE}`, 'scenarios/record', { body: { name } }),
  };
}

function stateActions({ saved: words }: Words) {
  return {
    save: (name: string) =>
      post(words.saved(name), commandLine('state save', [name]), 'state/snapshots', { body: { name } }),
    restore: (name: string) =>
      post(words.restored(name), commandLine('state restore', [name]), 'state/snapshots/:name/restore', {
        name,
      }),
    drop: (name: string) =>
      remove(words.dropped(name), commandLine('state drop', [name]), 'state/snapshots/:name', { name }),
    compare: (from: string, to: string | undefined) => {
      const command = commandLine('state compare', to === undefined ? [from] : [from, to]);
      return post(words.compared(from, to ?? words.now), command, 'state/compare', { body: { from, to } });
    },
    reset: post(words.didReset, 'reset', 'reset'),
    export: {
      done: words.exported(STATE_FILE),
      command: `state export ${STATE_FILE}`,
      run: (client: ControlClient) => client.get('state'),
    },
    import: (name: string, state: object): Action => ({
      done: words.imported(name),
      command: commandLine('state import', [name]),
      run: (client) => client.put('state', { body: state }),
    }),
  };
}

/** A step that a payment's state allows; a failing one accepts a reason. */
export interface PaymentMove {
  readonly name: string;
  readonly label: string;
  readonly acceptsReason: boolean;
  readonly action: (reason?: string) => Action;
}

/** The payer's side of a charge, as far as its state allows (§3). */
export function chargeMoves(
  { payments }: Words,
  { id, status }: { readonly id: string; readonly status: ChargeStatus },
): PaymentMove[] {
  const moves = movesFrom('charge', status);
  const isOpen = moves.includes('expire');
  const move = (
    name: keyof typeof payments.charge.moves,
    isAllowed: boolean,
    action: (done: string, reason?: string) => Action,
  ): PaymentMove[] => {
    const { button: label, done } = payments.charge.moves[name];
    const acceptsReason = name === 'fail';
    return isAllowed ? [{ name, label, acceptsReason, action: (reason) => action(done, reason) }] : [];
  };
  const settle = (done: string) => post(done, `charges settle ${id}`, 'charges/:id/settle', { id });
  const late = { type: 'pix.settled', charge: id, late: true };
  return [
    ...move('pay', isOpen, settle),
    ...move('fail', moves.includes('fail'), (done, reason) =>
      post(done, commandLine('charges fail', [id], { reason }), 'charges/:id/fail', { id, body: { reason } }),
    ),
    ...move('expire', isOpen, (done) => post(done, `charges expire ${id}`, 'charges/:id/expire', { id })),
    ...move('payLate', moves.includes('settle'), (done) =>
      isOpen
        ? post(done, `trigger pix.settled --charge ${id} --late`, 'trigger', { body: late })
        : settle(done),
    ),
  ];
}

/** The bank's side of a withdrawal, as far as its state allows (§3). */
export function withdrawalMoves(
  { payments }: Words,
  { id, status }: { readonly id: string; readonly status: WithdrawalStatus },
): PaymentMove[] {
  return movesFrom('withdrawal', status).map((name) => {
    const { button: label, done } = payments.withdrawal.moves[name];
    if (name === 'process' || name === 'settle') {
      const action = () => post(done, `withdrawals ${name} ${id}`, `withdrawals/:id/${name}`, { id });
      return { name, label, acceptsReason: false, action };
    }
    const action = (reason: string = DEFAULT_FAILURE_REASON) => {
      const command = commandLine(`withdrawals ${name}`, [id], { reason });
      return post(done, command, `withdrawals/:id/${name}`, { id, body: { reason } });
    };
    return { name, label, acceptsReason: true, action };
  });
}

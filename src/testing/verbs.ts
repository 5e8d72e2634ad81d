import type { ControlClient } from '../client/control.js';
import { SandboxError } from '../client/sandbox-error.js';
import { REFUSAL_STATUSES } from '../contract/refusals.js';
import { FaultFileError, readFaults } from '../sandbox/faults/fault-file.js';
import type {
  AccountView,
  AdvancedView,
  AppView,
  AppWithSecrets,
  CallFaultAction,
  ChargeStatus,
  ChargeView,
  ClockView,
  CustomerType,
  DeliveryFaultAction,
  EnvironmentBlock,
  FaultView,
  NextView,
  Scope,
  SessionDecision,
  SessionResult,
  SessionStatus,
  SessionView,
  StateFile,
  WithdrawalStatus,
  WithdrawalView,
} from '../shapes.js';
import { messageOf } from '../text/errors.js';
import { type CallVerbs, callVerbs } from './calls.js';
import { type CheckVerb, checkVerb } from './check.js';
import type { Forwarding, ForwardVerb } from './forward.js';
import { checkedOptions, FLAG, LIMIT, listOf, type OptionKinds, TEXT, ofApp } from './options.js';
import type { ListLimit, OfApp, Patience, WithReason } from './webhooks.js';
import {
  type DeliveryVerbs,
  deliveryVerbs,
  type EndpointVerbs,
  endpointVerbs,
  type EventVerbs,
  eventVerbs,
  patienceMs,
  type TestReceiverVerbs,
  testReceiverVerbs,
  type TriggerVerb,
  triggerVerb,
} from './webhooks.js';

interface FaultDetails {
  readonly status?: number | undefined;
  /** A duration of real time up to 60 s, such as `2s`. */
  readonly delay?: string | undefined;
  readonly copies?: number | undefined;
  /** `duplicate`: sends all copies at once with the original. */
  readonly parallel?: boolean | undefined;
  /** `restart`: before the attempt, or (the default) as soon as its answer has arrived. */
  readonly when?: 'before' | 'answered' | undefined;
  /** The client's code of the charge or withdrawal that it is about; `*` stands for any text. */
  readonly code?: string | undefined;
  /** The rank, from 1, of the charge, withdrawal or session that it is about, in order of creation. */
  readonly resource?: number | undefined;
  /** Fires on the nth call or attempt that all else matches, counted from 1, and never again. */
  readonly nth?: number | undefined;
  /** Greater than 0, and at most 1, the default. */
  readonly probability?: number | undefined;
  /** How often it fires at most; unlimited by default. */
  readonly count?: number | undefined;
}

/** A fault. `on` is required for an action that exists for both calls and deliveries (`delay`). */
export type FaultFields = FaultDetails &
  (
    | {
        readonly on?: 'call' | undefined;
        readonly action: CallFaultAction;
        readonly door?: 'api' | 'identity' | undefined;
        readonly method?: string | undefined;
        readonly path?: string | undefined;
      }
    | {
        readonly on?: 'delivery' | undefined;
        readonly action: DeliveryFaultAction;
        readonly event?: string | undefined;
        /** An id, or a pattern for the URL, which holds a slash or a star: `https://shop.example/*`. */
        readonly endpoint?: string | undefined;
        readonly attempt?: number | undefined;
      }
  );

/** An active fault; ended by `remove`, or at the end of its `await using`. */
export type AddedFault = FaultView & AsyncDisposable & { readonly remove: () => Promise<void> };

/** Misbehaviour on purpose. Every method rejects with SandboxError. */
interface FaultVerbs {
  readonly add: (fields: FaultFields) => Promise<AddedFault>;
  readonly list: () => Promise<FaultView[]>;
  readonly remove: (id: string) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/** @internal */
export function faultVerbs(control: ControlClient): FaultVerbs {
  const remove = async (id: string) => {
    await control.delete('faults/:id', { id }).catch((error: unknown) => {
      // It is gone already: a reset or another caller removed it.
      if (!(error instanceof SandboxError && error.code === 'NOT_FOUND')) throw error;
    });
  };
  return {
    add: async (fields) => {
      const fault = await control.post('faults', { body: fields });
      const removeThis = () => remove(fault.id);
      return { ...fault, remove: removeThis, [Symbol.asyncDispose]: removeThis };
    },
    list: async () => (await control.get('faults')).data,
    remove,
    clear: async () => {
      await control.delete('faults');
    },
  };
}

/**
 * Reads a file of faults, or the faults in a directory of results. Throws SandboxError with the place of the
 * first mistake. @internal
 */
export function faultsOfFile(path: string): {
  readonly faults: readonly FaultFields[];
  readonly seed?: string;
} {
  try {
    return readFaults(path, path) as ReturnType<typeof faultsOfFile>;
  } catch (error) {
    const isOfText = error instanceof FaultFileError;
    const message = isOfText ? error.message : `The fault file ${path} cannot be read: ${messageOf(error)}`;
    const body = {
      code: 'INVALID_REQUEST',
      message,
      request_id: '',
      details: [],
      ...(isOfText && { hint: error.hint }),
    };
    throw new SandboxError(REFUSAL_STATUSES.INVALID_REQUEST, body, path);
  }
}

type Metadata = Readonly<Record<string, string>>;

/** The fields of a new charge (§4.1); the others get defaults. Amounts are decimal strings such as `10.00`. */
export interface ChargeFields {
  readonly code?: string | undefined;
  readonly account_id?: string | undefined;
  readonly amount?: string | undefined;
  readonly payer_name?: string | undefined;
  readonly payer_document?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** The fields of a new withdrawal (§2.2); the others get defaults. */
export interface WithdrawalFields {
  readonly code?: string | undefined;
  readonly account_id?: string | undefined;
  readonly amount?: string | undefined;
  readonly pix_key?: string | undefined;
  readonly beneficiary_document?: string | undefined;
  readonly beneficiary_name?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

const LIST_KINDS = { status: TEXT, app: TEXT, limit: LIMIT };

/**
 * The payer's side of charges (§3). A charge is named by its id or code, or by four digits or more that begin
 * its id alone. Every method rejects with SandboxError.
 */
interface ChargeVerbs {
  readonly create: (fields?: ChargeFields, options?: OfApp) => Promise<ChargeView>;
  readonly get: (idOrCode: string) => Promise<ChargeView>;
  readonly list: (options?: { readonly status?: ChargeStatus } & OfApp & ListLimit) => Promise<ChargeView[]>;
  /** The payer pays: `pix.settled`. */
  readonly settle: (idOrCode: string) => Promise<ChargeView>;
  /** The payment fails: `pix.failed`. */
  readonly fail: (idOrCode: string, options?: WithReason) => Promise<ChargeView>;
  /** The charge expires now: `pix.expired`. */
  readonly expire: (idOrCode: string) => Promise<ChargeView>;
}

/** @internal */
function chargeVerbs(control: ControlClient): ChargeVerbs {
  const move = (what: 'settle' | 'expire') => (idOrCode: string) =>
    control.post(`charges/:id/${what}`, { id: idOrCode });
  return {
    create: async (fields = {}, options = {}) =>
      control.post('charges', { ...ofApp('charges.create', options), body: fields }),
    get: (idOrCode) => control.get('charges/:id', { id: idOrCode }),
    list: async (options = {}) =>
      control.list('charges', checkedOptions('charges.list', options, LIST_KINDS)),
    settle: move('settle'),
    fail: async (idOrCode, options = {}) =>
      control.post('charges/:id/fail', {
        id: idOrCode,
        body: checkedOptions('charges.fail', options, { reason: TEXT }),
      }),
    expire: move('expire'),
  };
}

/**
 * The bank's side of withdrawals (§3). A withdrawal is named as a charge is. Every method rejects with
 * SandboxError.
 */
interface WithdrawalVerbs {
  readonly create: (fields?: WithdrawalFields, options?: OfApp) => Promise<WithdrawalView>;
  readonly get: (idOrCode: string) => Promise<WithdrawalView>;
  readonly list: (
    options?: { readonly status?: WithdrawalStatus } & OfApp & ListLimit,
  ) => Promise<WithdrawalView[]>;
  readonly process: (idOrCode: string) => Promise<WithdrawalView>;
  /** The network settles it: `withdrawal.settled`. */
  readonly settle: (idOrCode: string) => Promise<WithdrawalView>;
  /** It is rejected before it settles: `withdrawal.failed`. */
  readonly fail: (idOrCode: string, options?: WithReason) => Promise<WithdrawalView>;
  /** The destination bank returns it after it settled: `withdrawal.failed`. */
  readonly return: (idOrCode: string, options?: WithReason) => Promise<WithdrawalView>;
}

/** @internal */
function withdrawalVerbs(control: ControlClient): WithdrawalVerbs {
  const move = (what: 'process' | 'settle') => (idOrCode: string) =>
    control.post(`withdrawals/:id/${what}`, { id: idOrCode });
  const end =
    (what: 'fail' | 'return') =>
    async (idOrCode: string, options: WithReason = {}) =>
      control.post(`withdrawals/:id/${what}`, {
        id: idOrCode,
        body: checkedOptions(`withdrawals.${what}`, options, { reason: TEXT }),
      });
  return {
    create: async (fields = {}, options = {}) =>
      control.post('withdrawals', { ...ofApp('withdrawals.create', options), body: fields }),
    get: (idOrCode) => control.get('withdrawals/:id', { id: idOrCode }),
    list: async (options = {}) =>
      control.list('withdrawals', checkedOptions('withdrawals.list', options, LIST_KINDS)),
    process: move('process'),
    settle: move('settle'),
    fail: end('fail'),
    return: end('return'),
  };
}

/** A decision, readable after `delay` (a duration of sandbox time such as `5m`), or an error of the page. */
export type Decision =
  | {
      readonly status: SessionDecision;
      readonly document?: string | undefined;
      readonly delay?: string | undefined;
    }
  | { readonly error: string };

/** Identity sessions as the tester sees them (§2.7, §3). Every method rejects with SandboxError. */
interface KycVerbs {
  readonly create: (options?: { readonly customer_type?: CustomerType } & OfApp) => Promise<SessionView>;
  readonly get: (id: string) => Promise<SessionView>;
  readonly list: (
    options?: { readonly status?: SessionStatus } & OfApp & ListLimit,
  ) => Promise<SessionView[]>;
  /** `decide(id, 'approved')`, or with more to say about it. */
  readonly decide: (id: string, decision: SessionDecision | Decision) => Promise<SessionView>;
  /** What the partner's server would read now (§4.11); rejects with NOT_TERMINAL before a decision can be read. */
  readonly result: (id: string) => Promise<SessionResult>;
}

/** @internal */
function kycVerbs(control: ControlClient): KycVerbs {
  return {
    create: async (options = {}) => {
      const kinds = { customer_type: TEXT, app: TEXT };
      const { customer_type, app } = checkedOptions('kyc.create', options, kinds);
      return control.post('kyc/sessions', { app, body: { customer_type } });
    },
    get: (id) => control.get('kyc/sessions/:id', { id }),
    list: async (options = {}) =>
      control.list(
        'kyc/sessions',
        checkedOptions('kyc.list', options, { status: TEXT, app: TEXT, limit: LIMIT }),
      ),
    decide: (id, decision) =>
      control.post('kyc/sessions/:id/decide', {
        id,
        body: typeof decision === 'string' ? { status: decision } : decision,
      }),
    result: (id) => control.get('kyc/sessions/:id/result', { id }),
  };
}

/** A further account: its id, a UUID, and its opening balance, a decimal string such as `100.00`. */
export interface AccountFields {
  readonly account_id?: string | undefined;
  readonly opening_balance?: string | undefined;
}

/** The fields of a new application and of its first account. */
export interface AppFields extends AccountFields {
  readonly name?: string | undefined;
  readonly token?: string | undefined;
  readonly signing_secret?: string | undefined;
  readonly organization?: string | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  /** Whether a new organization gets credentials of the identity API. */
  readonly kyc?: boolean | undefined;
}

const ACCOUNT_KINDS: OptionKinds<AccountFields> = { account_id: TEXT, opening_balance: TEXT };
const APP_KINDS: OptionKinds<AppFields> = {
  ...ACCOUNT_KINDS,
  name: TEXT,
  token: TEXT,
  signing_secret: TEXT,
  organization: TEXT,
  scopes: listOf(TEXT),
  kyc: FLAG,
};

/**
 * The applications that call the service (§5). An application is named by its id or name. Every method
 * rejects with SandboxError.
 */
interface AppVerbs {
  /**
   * A new application with its secrets; what is left out is drawn, and it has every scope unless `scopes`
   * lists some or none.
   */
  readonly create: (fields?: AppFields) => Promise<AppWithSecrets>;
  readonly list: () => Promise<AppView[]>;
  /** Opens a further account: `addAccount('default', {opening_balance: '100.00'})`. */
  readonly addAccount: (app: string, fields?: AccountFields) => Promise<AccountView>;
}

/** @internal */
function appVerbs(control: ControlClient): AppVerbs {
  return {
    create: async (fields = {}) =>
      control.post('apps', { body: checkedOptions('apps.create', fields, APP_KINDS) }),
    list: async () => (await control.get('apps')).data,
    addAccount: async (app, fields = {}) =>
      control.post('apps/:id/accounts', {
        id: app,
        body: checkedOptions('apps.addAccount', fields, ACCOUNT_KINDS),
      }),
  };
}

/**
 * Sandbox time. Durations are texts such as `90s`, `45h` or `1d12h`. Every method but `now` rejects with
 * SandboxError.
 */
export interface ClockVerbs<Now> {
  readonly now: () => Now;
  readonly show: () => Promise<ClockView>;
  /** Moves forward and does all that falls due on the way; resolves when its attempts have ended. */
  readonly advance: (by: string) => Promise<AdvancedView>;
  /** Jumps to the next thing due; `did` says what it was. */
  readonly next: () => Promise<NextView>;
  /** Lets time stand still, now or at a later instant such as `2030-01-01T00:00:00Z`. */
  readonly freeze: (at?: string) => Promise<ClockView>;
  /** Sandbox seconds in a real one; 1 is real time. */
  readonly speed: (rate: number) => Promise<ClockView>;
}

/** @internal */
export function clockVerbs<Now>(control: ControlClient, now: () => Now): ClockVerbs<Now> {
  return {
    now,
    show: () => control.get('clock'),
    advance: (by) => control.post('clock/advance', { body: { by } }),
    next: () => control.post('clock/next'),
    freeze: (at) => control.post('clock/freeze', { body: { at } }),
    speed: (rate) => control.post('clock/speed', { body: { rate } }),
  };
}

/** The sandbox as a whole. Every method rejects with SandboxError. */
interface StateVerbs {
  /** Resets everything; connections of `forwardTo` stay. */
  readonly reset: () => Promise<void>;
  /** How everything is now, for `restore`. */
  readonly snapshot: () => Promise<StateFile>;
  /**
   * Goes back to a state, including its sandbox time; connections of `forwardTo` stay. New resources and
   * events get the same ids again, so a receiver has to forget the old ones: `receiver.clear()`.
   */
  readonly restore: (state: StateFile) => Promise<void>;
}

/** @internal */
function stateVerbs(control: ControlClient): StateVerbs {
  return {
    reset: async () => {
      await control.post('reset');
    },
    snapshot: () => control.get('state'),
    restore: async (state) => {
      await control.put('state', { body: state });
    },
  };
}

/** A sandbox of `createSandbox` or `connectSandbox`: a helper that awaits every result works with both. */
export interface SandboxVerbs extends StateVerbs, AsyncDisposable {
  /** The origin; without a port, one that only `fetch` knows. */
  readonly url: string;
  /** The environment block: what an application needs to use this sandbox. */
  readonly env: EnvironmentBlock;
  readonly apps: AppVerbs;
  readonly charges: ChargeVerbs;
  readonly withdrawals: WithdrawalVerbs;
  readonly kyc: KycVerbs;
  readonly trigger: TriggerVerb;
  readonly events: EventVerbs;
  readonly deliveries: DeliveryVerbs;
  readonly endpoints: EndpointVerbs;
  readonly testReceiver: TestReceiverVerbs;
  readonly clock: ClockVerbs<Date | Promise<Date>>;
  readonly faults: FaultVerbs;
  readonly calls: CallVerbs;
  readonly ledger: LedgerVerbs<string[] | Promise<string[]>>;
  readonly forwardTo: ForwardVerb<Forwarding | Promise<Forwarding>>;
  /** Checks a webhook receiver: signatures, repeats, order and speed, as `sandbox check` does. */
  readonly check: CheckVerb;
  /** Resolves when nothing is in flight and nothing is due now; rejects on a timeout in real time. */
  readonly idle: (patience?: Patience) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface LedgerVerbs<Problems> {
  /** In words; empty when all transactions are right and add up to the balances. */
  readonly problems: () => Problems;
}

/** The verbs that only need the control API. @internal */
export function sandboxVerbs(control: ControlClient, env: EnvironmentBlock) {
  return {
    url: control.url,
    env,
    apps: appVerbs(control),
    charges: chargeVerbs(control),
    withdrawals: withdrawalVerbs(control),
    kyc: kycVerbs(control),
    trigger: triggerVerb(control),
    events: eventVerbs(control),
    deliveries: deliveryVerbs(control),
    endpoints: endpointVerbs(control),
    testReceiver: testReceiverVerbs(control),
    faults: faultVerbs(control),
    calls: callVerbs(control),
    check: checkVerb(control, env),
    ...stateVerbs(control),
    idle: async (patience: Patience = {}) => {
      const timeoutMs = patienceMs('idle', patience);
      const { idle } = await control.get('idle', { timeout: `${timeoutMs}ms` });
      if (idle) return;
      const { attempts_in_flight: open } = await control.get('status');
      throw new Error(`Not idle within ${timeoutMs} ms: ${open} attempts are in flight.`);
    },
  };
}

const NO_FETCH =
  'needs the fetch API of Node: expected the global Response, and there is none. Jest’s ' +
  'jsdom environment hides it: begin the test file with /** @jest-environment node */.';

/** Throws Error where a test environment hides fetch. @internal */
export function requireFetch(what: string): void {
  if (typeof Response === 'undefined') throw new Error(`${what} ${NO_FETCH}`);
}

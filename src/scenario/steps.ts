import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS, RESTART_MOMENTS } from '../contract/fault-kinds.js';
import { RETRY_SCHEDULES } from '../contract/limits.js';
import { CUSTOMER_TYPES, EVENT_TYPES } from '../contract/enums.js';
import { DURATION_PATTERN, INSTANT_PATTERN, parseDuration, parseInstant } from '../contract/time.js';
import { SESSION_DECISIONS } from '../contract/transitions.js';
import { either, list, record } from '../schema/compound.js';
import { object, optional, partial } from '../schema/object.js';
import { type Infer, pathText, type Schema } from '../schema/schema.js';
import { always, anything, described, flag, number, readable, text, whole } from '../schema/values.js';
import { EXPECTATION, differences, expectAll } from './expectations.js';
import { word } from './references.js';
import { StepFailure, refused } from './doors.js';
import type { ErrorBody } from '../http/operation/error-body.js';
import type { PathOf } from '../client/routes.js';
import { mistakesIn } from '../schema/sentences.js';
import { ScenarioReceiver } from './receiver.js';
import type { Stage } from './run.js';
import { encodeSegment } from '../text/urls.js';

/** A duration, or a text that the step knows or that refers to a value of another step. */
function durationOr(others: RegExp, what = DURATION): Schema<string> {
  const pattern = { source: `${DURATION_PATTERN.source}|${others.source}` };
  return readable(what, pattern, (text) => (others.test(text) ? text : parseDuration(text)));
}

const DURATION = 'a duration such as 90s, 5m, 45h or 1d12h';
const duration = readable(DURATION, DURATION_PATTERN, parseDuration);
const metadata = record(text('a text'), 'an object of texts');
const charge = text('the id or code of a charge');
const withdrawal = text('the id or code of a withdrawal');
const reason = text('an SPI code such as AC03');
const event = word('an event', EVENT_TYPES);
const events = list(event, { what: 'a list of one or more events', least: 1 });
const decision = word('a decision', SESSION_DECISIONS);
const count = (most: number) => whole(`a whole number from 1 to ${most}`, { least: 1, most });
const status = (least: number) => whole(`a status from ${least} to 599`, { least, most: 599 });

const NEW_CHARGE = {
  code: text('a code'),
  account_id: text('an account'),
  amount: text('an amount such as "10.00"'),
  payer_name: text('a name'),
  payer_document: text('a CPF or CNPJ'),
  metadata,
};
const NEW_WITHDRAWAL = {
  code: text('a code'),
  account_id: text('an account'),
  amount: text('an amount such as "10.00"'),
  pix_key: text('a PIX key'),
  beneficiary_name: text('a name'),
  beneficiary_document: text('a CPF or CNPJ'),
  metadata,
};
const NEW_ENDPOINT = { url: text('a URL'), ...partial({ events, description: text('a description') }) };
const NEW_SESSION = {
  customerType: word('a customer type', CUSTOMER_TYPES),
  idempotency_key: text('16 to 255 printable characters'),
};

/** No answer at all: the attempt times out, or its connection breaks. */
const BROKEN_ANSWERS = ['timeout', 'reset'] as const;
const ANSWER = either([status(200), word('an answer', BROKEN_ANSWERS)]);
export type ReceiverAnswer = Infer<typeof ANSWER>;

const RECEIVER = object(
  'a receiver',
  partial({
    answers: described(
      'what it answers to verified deliveries, one after the other; the last one stays',
      list(ANSWER, { what: 'a list of one or more answers', least: 1 }),
    ),
    events: described('what it subscribes to: by default every event', events),
    retries: described(
      'the schedule of its retries',
      word('a schedule', Object.keys(RETRY_SCHEDULES) as (keyof typeof RETRY_SCHEDULES)[]),
    ),
  }),
);
export type ReceiverSpec = Infer<typeof RECEIVER>;

const FAULT = {
  action: word('a fault', [...new Set([...Object.keys(CALL_FAULTS), ...Object.keys(DELIVERY_FAULTS)])]),
  ...partial({
    on: word('what it is on', ['call', 'delivery']),
    door: word('a door', FAULT_DOORS),
    method: text('a method'),
    path: text('a path, * for anything'),
    event: text('an event, * for anything'),
    endpoint: text('the id of an endpoint, or a pattern for its URL'),
    attempt: count(1_000),
    code: text('the code of a charge or withdrawal, * for anything'),
    resource: count(1_000_000),
    nth: count(1_000_000),
    status: status(200),
    delay: durationOr(/\$\{/u),
    copies: count(10),
    parallel: flag,
    when: word('a moment', RESTART_MOMENTS),
    probability: number('a number from 0 to 1', { least: 0, most: 1 }),
    count: count(1_000_000),
  }),
};

const CHARGES = '/api/public/v1/pix';
const ENDPOINTS = '/api/public/v1/webhook-endpoints';
const SESSIONS = '/api/v1/kyc/sessions';

/**
 * Performs a step with its value, whose references were replaced. Later steps may refer to its result.
 * Rejects with StepFailure.
 */
type Action<Value> = (stage: Stage, value: Value) => Promise<unknown>;

function verb<Value>(description: string, schema: Schema<Value>, perform: Action<Value>) {
  return { schema: described(description, schema), perform };
}

/** Every verb with the value that it takes, and what it does. A step has exactly one verb. */
const VERBS = {
  create: verb(
    'makes something: a charge, an endpoint or a session as the application does, a withdrawal by the control API',
    object(
      'something to create',
      partial({
        charge: object('the fields of a charge', partial(NEW_CHARGE)),
        withdrawal: object('the fields of a withdrawal', partial(NEW_WITHDRAWAL)),
        endpoint: object('the fields of an endpoint', NEW_ENDPOINT),
        session: object('the fields of an identity session', partial(NEW_SESSION)),
      }),
      { exactlyOne: ['charge', 'withdrawal', 'endpoint', 'session'] },
    ),
    async (stage, { charge, withdrawal, endpoint, session }) => {
      if (charge !== undefined) {
        const drafted = { account_id: stage.doors.env.SANDBOX_ACCOUNT_ID, amount: '100.00' };
        const code = charge.code ?? draftName(stage, 'charge');
        return asApp(stage, CHARGES, { code, ...drafted, ...charge });
      }
      if (withdrawal !== undefined) {
        const code = withdrawal.code ?? draftName(stage, 'withdrawal');
        return stage.doors.control.post('withdrawals', { body: { code, ...withdrawal } });
      }
      if (endpoint !== undefined) {
        const made = await asApp(stage, ENDPOINTS, { events: EVENT_TYPES, ...endpoint });
        stage.endpoints.add((made as { readonly id: string }).id);
        return made;
      }
      const { customerType = 'individual', idempotency_key: key } = session ?? {};
      const headers = { 'idempotency-key': key ?? draftName(stage, 'identity-session') };
      return asApp(stage, SESSIONS, { customerType }, headers);
    },
  ),
  trigger: verb(
    'makes an event happen, on a new charge or withdrawal or on one that exists',
    either([
      event,
      object('a trigger', {
        type: event,
        ...partial({
          charge,
          withdrawal,
          reason,
          with: record(anything, 'the fields of a new one'),
          late: flag,
          override: record(anything, 'an object from paths to values'),
          count: count(10_000),
        }),
      }),
    ]),
    ({ doors }, given) =>
      doors.control.post('trigger', { body: typeof given === 'string' ? { type: given } : given }),
  ),
  call: verb(
    'calls the service as the application, signed; without `expect` it has to succeed',
    object('a call', {
      method: text('a method such as POST', /^[A-Z]+$|\$\{/u),
      path: text('a path such as /api/public/v1/pix', /^\/|\$\{/u),
      ...partial({
        body: anything,
        headers: record(text('the text of a header'), 'an object of headers'),
        nonce: text('16 to 128 of A-Z a-z 0-9 _ -'),
        signed: described('false sends neither token nor signature', flag),
        expect: object(
          'an expected answer',
          partial({
            status: either([status(100), text('a status such as 4*')]),
            body: anything,
            lost: described('no answer arrives, or only part of it', always(true)),
          }),
        ),
      }),
    }),
    async ({ doors }, { expect: wanted, ...sent }) => {
      const answer = await doors.call(sent);
      const what = `${sent.method} ${sent.path}`;
      if (wanted?.lost === true) {
        if (answer === undefined) return { lost: true };
        throw new StepFailure(`${what}: expected the answer to be lost; got ${answer.status}.`);
      }
      if (answer === undefined) throw new StepFailure(`${what}: the answer was lost on the way.`);
      const { status, body } = answer;
      if (wanted === undefined) {
        if (status >= 200 && status < 300) return answer;
        throw refused(what, status, body);
      }
      const misses = differences(wanted, answer).map((miss) => `${what}: ${miss}`);
      if (misses.length === 0) return answer;
      const { error } = (body ?? {}) as Partial<ErrorBody>;
      throw new StepFailure(
        ...misses,
        ...(error === undefined ? [] : [`It said ${error.code}: ${error.message}`]),
      );
    },
  ),
  settle: verb(
    'the payer pays, or the bank settles',
    object('what to settle', partial({ charge, withdrawal }), { exactlyOne: ['charge', 'withdrawal'] }),
    move('settle'),
  ),
  fail: verb(
    'the payment fails, or the bank rejects',
    object('what to fail', partial({ reason, charge, withdrawal }), { exactlyOne: ['charge', 'withdrawal'] }),
    move('fail'),
  ),
  expire: verb('the charge expires now', object('what to expire', { charge }), move('expire')),
  process: verb(
    'the bank starts to process the withdrawal',
    object('what to process', { withdrawal }),
    move('process'),
  ),
  return: verb(
    'the destination bank sends the withdrawal back',
    object('what to return', { withdrawal, reason: optional(reason) }),
    move('return'),
  ),
  decide: verb(
    'decides an identity session',
    object('a decision', {
      session: text('the id of an identity session'),
      ...partial({
        status: decision,
        document: text('a CPF or CNPJ'),
        delay: durationOr(/\$\{/u),
        error: text('an error code of the page'),
      }),
    }),
    ({ doors }, { session, ...body }) => doors.control.post('kyc/sessions/:id/decide', { id: session, body }),
  ),
  advance: verb(
    'moves the clock and does everything that falls due on the way; `next` goes to the next thing due',
    durationOr(/^next$|\$\{/u, 'a duration such as 45h, or next'),
    ({ doors: { control } }, time): Promise<unknown> =>
      time === 'next' ? control.post('clock/next') : control.post('clock/advance', { body: { by: time } }),
  ),
  fault: verb(
    'what goes wrong from here on, until the scenario ends; `none` removes all faults that it added',
    either([word('a fault or', ['none']), object('a fault', FAULT)]),
    async (stage, given) => {
      if (given === 'none') {
        await removeFaults(stage);
        return {};
      }
      const body = given as Exclude<typeof given, string>;
      const added = await stage.doors.control.post('faults', { body });
      stage.faults.add(added.id);
      return added;
    },
  ),
  receiver: verb(
    'connects the built-in receiver, or changes what it answers from here on',
    RECEIVER,
    receive,
  ),
  resend: verb(
    'sends an event again',
    either([
      text('the id of an event'),
      object('what to resend', {
        event: text('the id of an event'),
        endpoint: optional(text('the id of an endpoint')),
      }),
    ]),
    ({ doors }, given) => {
      const { event, ...body } = typeof given === 'string' ? { event: given } : given;
      return doors.control.post('events/:id/resend', { id: event, body });
    },
  ),
  retry: verb(
    'puts a delivery in FAILED back for one more attempt',
    text('the id of a delivery'),
    ({ doors }, id) => doors.control.post('deliveries/:id/retry', { id }),
  ),
  rotate: verb(
    'rotates the secret of an endpoint, as the application',
    text('the id of an endpoint'),
    async (stage, id) => {
      const rotated = await asApp(stage, `${ENDPOINTS}/${encodeSegment(id)}/rotate-secret`);
      if (id === stage.receiver?.facts.id)
        stage.receiver.learn((rotated as { readonly secret: string }).secret);
      return rotated;
    },
  ),
  reset: verb('resets the whole sandbox to its start', always(true), async (stage) => {
    const registered = stage.receiver?.registered();
    const answer = await stage.doors.control.post('reset');
    await registered;
    stage.receiver?.forget();
    stage.faults.clear();
    await stage.history.beginAgain();
    return answer;
  }),
  expect: verb('what must be true now; first waits until nothing is in flight', EXPECTATION, expectAll),
};

export type Verb = keyof typeof VERBS;
export const VERB_NAMES = Object.keys(VERBS) as Verb[];

/** Moves a charge or a withdrawal through the control API. */
function move(
  verb: 'settle' | 'fail' | 'expire' | 'process' | 'return',
): Action<{ readonly [Name in 'charge' | 'withdrawal' | 'reason']?: string | undefined }> {
  return ({ doors }, { charge, withdrawal, reason }) => {
    const path = `${charge === undefined ? 'withdrawals' : 'charges'}/:id/${verb}` as MovePath;
    return doors.control.post(path, { id: charge ?? withdrawal ?? '', body: { reason } });
  };
}

type MovePath = Extract<PathOf<'POST'>, `${'charges' | 'withdrawals'}/:id/${string}`>;

function draftName(stage: Stage, what: string): string {
  stage.drafted += 1;
  return `${what}-${stage.run}-${stage.drafted}`;
}

/** A call of the application that must succeed. */
async function asApp(
  stage: Stage,
  path: string,
  body?: object,
  headers?: Record<string, string>,
): Promise<unknown> {
  const answer = await stage.doors.call({ method: 'POST', path, body, headers });
  if (answer === undefined) throw new StepFailure(`POST ${path}: the answer was lost on the way.`);
  if (answer.status >= 300) throw refused(`POST ${path}`, answer.status, answer.body);
  return answer.body;
}

/** Removes the faults that the scenario added; others stay. */
export async function removeFaults({ doors, faults }: Stage): Promise<void> {
  for (const id of faults) {
    await doors.control.delete('faults/:id', { id }).catch(() => undefined);
    faults.delete(id);
  }
}

/** Connects the receiver, or changes the answers of the connected one. */
export async function receive(stage: Stage, spec: ReceiverSpec): Promise<unknown> {
  if (stage.receiver === undefined) {
    stage.receiver = await ScenarioReceiver.connect(stage, spec);
  } else {
    stage.receiver.answer(spec.answers);
  }
  return stage.receiver.facts;
}

type Schemas = { readonly [Name in Verb]: (typeof VERBS)[Name]['schema'] };
const SCHEMAS = Object.fromEntries(
  Object.entries(VERBS).map(([name, { schema }]) => [name, schema]),
) as unknown as Schemas;

/**
 * Checks the value again, because references in it have been replaced, and performs the verb. Rejects with
 * StepFailure.
 */
export async function perform(stage: Stage, name: Verb, value: unknown): Promise<unknown> {
  const mistakes = mistakesIn(SCHEMAS[name], value, [name]);
  if (mistakes.length > 0) {
    throw new StepFailure(...mistakes.map(({ path, message }) => `${pathText(path)}: ${message}`));
  }
  return VERBS[name].perform(stage, value as never);
}

/** Names defined in every scenario from the start. */
export const GIVEN_NAMES = ['env', 'run', 'receiver'] as const;

const STEP = object(
  'a step',
  partial({
    as: described(
      'a name by which later steps refer to the result of this one',
      text(
        'a name of letters without accents, digits, underscores and hyphens',
        /^[A-Za-z_][A-Za-z0-9_-]*$/u,
      ),
    ),
    note: described('what it is for', text('a text')),
    ...SCHEMAS,
  }),
  { exactlyOne: VERB_NAMES },
);

const BEGINNING = object(
  'the beginning of a sandbox',
  partial({
    freeze: described(
      'the instant at which its clock is frozen',
      readable('an instant such as 2026-01-31T12:00:00Z', INSTANT_PATTERN, parseInstant),
    ),
    seed: described('ids, secrets and random choices derive from it', text('a text')),
    assume: described(
      'choices for what the contract leaves open, by id',
      record(text('a text'), 'an object of texts'),
    ),
    auto_settle: described('charges are paid automatically after this time', duration),
    kyc_auto: described(
      'identity sessions are decided automatically',
      object('a decision for all', { status: decision, delay: optional(duration) }),
    ),
    routes: described(
      'where deliveries to an origin go instead',
      record(text('an origin'), 'an object of origins'),
    ),
    allow_local_endpoints: described('allows http and local endpoints', flag),
  }),
);
export type Beginning = Infer<typeof BEGINNING>;

export const SCENARIO = object('a scenario', {
  steps: list(STEP, { what: 'a list of one or more steps', least: 1 }),
  ...partial({
    $schema: text('the address of the schema'),
    name: described('what results call it: by default the name of the file', text('a text')),
    description: described('what it shows, in one sentence', text('a text')),
    sandbox: described('how a fresh sandbox starts; a running one stays as it is', BEGINNING),
    receiver: described('the built-in receiver, connected from the beginning', RECEIVER),
  }),
});
export type Scenario = Infer<typeof SCENARIO>;
export type Step = Scenario['steps'][number];

export function verbOf(step: Step): Verb {
  const verb = VERB_NAMES.find((name) => step[name] !== undefined);
  if (verb === undefined) throw new TypeError('A step without a verb was not refused.');
  return verb;
}

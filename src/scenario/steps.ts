import { DELAY_FORMS, DELAY_PATTERN, parseDelay } from '../contract/delay.js';
import { EVENT_TYPES } from '../contract/enums.js';
import { INCIDENTS } from '../contract/incidents.js';
import { RETRY_SCHEDULES } from '../contract/limits.js';
import {
  DAY_MS,
  DURATION_PATTERN,
  formatDuration,
  INSTANT_PATTERN,
  parseDuration,
  parseInstant,
} from '../contract/time.js';
import {
  listMoveNames,
  type MoveOf,
  getMove,
  type MovePath,
  MOVES,
  type PaymentKind,
  SESSION_DECISIONS,
} from '../contract/transitions.js';
import { DECISION_BODY, ENDPOINT_BODY, createPaymentSchemas, SESSION_BODY } from '../core/input/bodies.js';
import { FAULT } from '../core/webhooks/faults.js';
import { INCIDENT } from '../core/webhooks/incidents.js';
import { TRIGGER_FIELDS } from '../core/webhooks/trigger.js';
import type { ErrorBody } from '../http/shared/response.js';
import { union, array, record } from '../schema/compound.js';
import { type FieldSchemas, object, optional, partial } from '../schema/object.js';
import { type Infer, formatPath, type Schema } from '../schema/schema.js';
import { findIssues } from '../schema/sentences.js';
import { literal, anyValue, withDoc, boolean, parseableText, text, integer } from '../schema/values.js';
import { encodeSegment } from '../text/urls.js';
import { createStepFailure, StepFailure } from './api-clients.js';
import { diffValues, EXPECTATION_SCHEMA, checkExpectations, type StepContext } from './expectations.js';
import { listBodyFields, createWordSchema } from './fields.js';
import { ScenarioReceiver } from './receiver.js';

/** Accepts a text that `reads` can parse, or one that matches `others`, e.g. a reference. */
function parseableOr(
  others: RegExp,
  what: string,
  { source }: RegExp,
  reads: (text: string) => unknown,
): Schema<string> {
  const pattern = { source: `${source}|${others.source}` };
  return parseableText(what, pattern, (value) => (others.test(value) ? value : reads(value)));
}

/** Returns the time until the next instant with this time of day. */
function timeUntil(timeOfDay: string, { now }: { readonly now: string }): string {
  const nowMs = Date.parse(now);
  const todayMs = Date.parse(`${now.slice(0, now.indexOf('T') + 1)}${timeOfDay}`);
  return formatDuration(todayMs > nowMs ? todayMs - nowMs : todayMs + DAY_MS - nowMs);
}

const autoDelay = parseableText(DELAY_FORMS, DELAY_PATTERN, parseDelay);
const delay = optional(parseableOr(/\$\{/u, DELAY_FORMS, DELAY_PATTERN, parseDelay));
const FAULT_FIELDS = object('a fault', { ...listBodyFields(FAULT), delay });
const INCIDENT_FIELDS = object('an incident', {
  ...listBodyFields(INCIDENT),
  faults: optional(array(FAULT_FIELDS, { what: 'a list of one or more faults', min: 1 })),
});
const charge = text('the id or code of a charge');
const withdrawal = text('the id or code of a withdrawal');
const reason = text('an SPI code such as AC03');
const session = text('the id of an identity session');
const event = createWordSchema('an event', EVENT_TYPES);
const status = (min: number) => integer(`a status from ${min} to 599`, { min, max: 599 });

/** Simulated failures: the attempt times out, or the connection is reset. */
const BROKEN_ANSWERS = ['timeout', 'reset'] as const;
const ANSWER = union([status(200), createWordSchema('a reply', BROKEN_ANSWERS)]);
export type ScenarioReply = Infer<typeof ANSWER>;

const RECEIVER = object(
  'a receiver',
  partial({
    answers: withDoc(
      'replies to verified deliveries, in order; the last one repeats',
      array(ANSWER, { what: 'a list of one or more replies', min: 1 }),
    ),
    events: withDoc(
      'subscribed events; all by default',
      array(event, { what: 'a list of one or more events', min: 1 }),
    ),
    retries: withDoc(
      'the retry schedule',
      createWordSchema('a schedule', Object.keys(RETRY_SCHEDULES) as (keyof typeof RETRY_SCHEDULES)[]),
    ),
  }),
);
export type ReceiverSpec = Infer<typeof RECEIVER>;

const CHARGES = '/api/public/v1/pix';
const ENDPOINTS = '/api/public/v1/webhook-endpoints';
const SESSIONS = '/api/v1/kyc/sessions';

/** Performs a step. Later steps can refer to the result. Rejects with StepFailure. */
type Action<Value> = (context: StepContext, value: Value) => Promise<unknown>;
type Body = Readonly<Record<string, unknown>>;

function verb<Value>(description: string, schema: Schema<Value, unknown>, perform: Action<Value>) {
  return { schema: withDoc(description, schema), perform };
}

type MoveName = MoveOf<PaymentKind>;
const MOVE_NAMES: readonly MoveName[] = [...listMoveNames('charge'), ...listMoveNames('withdrawal')];

function move(name: MoveName) {
  const kinds = (['charge', 'withdrawal'] as const).filter((kind) => Object.hasOwn(MOVES[kind], name));
  const moves = kinds.map((kind) => getMove(kind, name));
  const ids = kinds.map((kind) => [kind, { charge, withdrawal }[kind]]);
  const fields: FieldSchemas = {
    ...Object.fromEntries(ids),
    ...(moves.some(({ hasReason }) => hasReason) && { reason }),
  };
  const schema = object(`a payment to ${name}`, partial(fields), { exactlyOne: kinds });
  const description = moves.map(({ label }) => label).join(', or ');
  return verb(description, schema, async ({ clients }, { reason: why, ...subject }) => {
    const [[kind, id] = []] = Object.entries(subject);
    const body = why === undefined ? {} : { reason: why as string };
    return clients.control.post(`${kind}s/:id/${name}` as MovePath, { id: String(id), body });
  });
}

/** All verbs with their schemas and actions. A step has exactly one verb. */
const VERBS = {
  create: verb(
    'creates a charge, an endpoint or a session as the application, or a withdrawal with the control API',
    object(
      'a resource to create',
      partial({
        charge: object('the fields of a charge', listBodyFields(createPaymentSchemas('charge'))),
        withdrawal: object('the fields of a withdrawal', listBodyFields(createPaymentSchemas('withdrawal'))),
        endpoint: object('the fields of an endpoint', {
          ...partial(listBodyFields(ENDPOINT_BODY)),
          url: text('a URL'),
        }),
        session: object('the fields of an identity session', {
          ...partial(listBodyFields(SESSION_BODY)),
          idempotency_key: optional(text('16 to 255 printable characters')),
        }),
      }),
      { exactlyOne: ['charge', 'withdrawal', 'endpoint', 'session'] },
    ),
    create,
  ),
  trigger: verb(
    'triggers an event for a new or existing charge or withdrawal',
    union([
      event,
      object('a trigger', {
        type: event,
        ...listBodyFields(object('a trigger', TRIGGER_FIELDS)),
        with: optional(record(anyValue, 'the fields of a new charge or withdrawal')),
      }),
    ]),
    ({ clients }, given) =>
      clients.control.post('trigger', { body: typeof given === 'string' ? { type: given } : given }),
  ),
  call: verb(
    'sends a signed request as the application; without `expect`, the request must succeed',
    object('a call', {
      method: text('a method such as POST', /^[A-Z]+$|\$\{/u),
      path: text('a path such as /api/public/v1/pix', /^\/|\$\{/u),
      ...partial({
        body: anyValue,
        headers: record(text('a header value'), 'an object of headers'),
        nonce: text('16 to 128 characters from A-Z a-z 0-9 _ -'),
        signed: withDoc('set to false to omit the token and signature', boolean),
        expect: object(
          'an expected response',
          partial({
            status: union([status(100), text('a status such as 4*')]),
            body: anyValue,
            lost: withDoc('the response is missing or incomplete', literal(true)),
          }),
        ),
      }),
    }),
    async ({ clients }, { expect: wanted, ...sent }) => {
      const answer = await clients.call(sent);
      const what = `${sent.method} ${sent.path}`;
      if (wanted?.lost === true) {
        if (answer === undefined) return { lost: true };
        throw new StepFailure(`${what}: expected a lost response; got ${answer.status}.`);
      }
      if (wanted === undefined) return succeeded(what, answer);
      if (answer === undefined) throw lost(what);
      const mismatches = diffValues(wanted, answer).map((miss) => `${what}: ${miss}`);
      if (mismatches.length === 0) return answer;
      const { error } = (answer.body ?? {}) as Partial<ErrorBody>;
      if (error !== undefined) mismatches.push(`The error was ${error.code}: ${error.message}`);
      throw new StepFailure(...mismatches);
    },
  ),
  ...(Object.fromEntries(MOVE_NAMES.map((name) => [name, move(name)])) as Record<
    MoveName,
    ReturnType<typeof move>
  >),
  decide: verb(
    'decides an identity session',
    object('a decision', { ...listBodyFields(DECISION_BODY), session, delay }),
    ({ clients }, { session: id, ...body }) => clients.control.post('kyc/sessions/:id/decide', { id, body }),
  ),
  advance: verb(
    'advances the clock, also to the next time with this time of day (UTC), or `next` to the next due item, and ' +
      'runs every item that becomes due',
    parseableOr(
      /^next$|^to (?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?Z$|\$\{/u,
      'a duration such as 45h, a time of day such as to 03:00Z, or next',
      DURATION_PATTERN,
      parseDuration,
    ),
    async ({ clients: { control } }, given): Promise<unknown> => {
      if (given === 'next') return control.post('clock/next');
      const by = given.startsWith('to ') ? timeUntil(given.slice(3), await control.get('clock')) : given;
      return control.post('clock/advance', { body: { by } });
    },
  ),
  fault: verb(
    'adds a fault until the scenario ends; `none` removes all faults that the scenario added',
    union([createWordSchema('a fault or', ['none']), FAULT_FIELDS]),
    async (context, given) => {
      if (given === 'none') {
        await removeScenarioFaults(context);
        return {};
      }
      const added = await context.clients.control.post('faults', {
        body: given as Body & { action: string },
      });
      context.faults.add(added.id);
      return added;
    },
  ),
  incident: verb(
    'starts an incident: a built-in name, or a name with a duration and faults; `none` stops the incidents that ' +
      'the scenario started',
    union([createWordSchema('an incident', [...Object.keys(INCIDENTS), 'none']), INCIDENT_FIELDS]),
    async (context, given) => {
      const { control } = context.clients;
      if (given === 'none') {
        for (const { name, fault_ids: ids } of (await control.get('incidents')).data)
          if (ids.some((id) => context.faults.has(id))) await control.delete('incidents/:name', { name });
        return {};
      }
      const body = typeof given === 'string' ? { name: given } : (given as Body & { name: string });
      const started = await control.post('incidents', { body });
      for (const id of started.fault_ids) context.faults.add(id);
      return started;
    },
  ),
  receiver: verb('connects the built-in receiver, or changes its next replies', RECEIVER, receiveDelivery),
  resend: verb(
    'resends an event',
    union([
      text('the id of an event'),
      object('an event to resend', {
        event: text('the id of an event'),
        endpoint: optional(text('the id of an endpoint')),
      }),
    ]),
    ({ clients }, given) => {
      const { event: id, ...body } = typeof given === 'string' ? { event: given } : given;
      return clients.control.post('events/:id/resend', { id, body });
    },
  ),
  retry: verb('retries a FAILED delivery once', text('the id of a delivery'), ({ clients }, id) =>
    clients.control.post('deliveries/:id/retry', { id }),
  ),
  rotate: verb(
    'rotates an endpoint secret as the application',
    text('the id of an endpoint'),
    async (context, id) => {
      const rotated = await sendAsApp(context, `${ENDPOINTS}/${encodeSegment(id)}/rotate-secret`);
      if (id === context.receiver?.facts.id) context.receiver.addSecret(String(rotated['secret']));
      return rotated;
    },
  ),
  reset: verb('resets the sandbox to its initial state', literal(true), async (context) => {
    const registered = context.receiver?.registered();
    const answer = await context.clients.control.post('reset');
    await registered;
    context.receiver?.forget();
    context.faults.clear();
    await context.history.begin([], true);
    return answer;
  }),
  expect: verb(
    'checks an expectation after waiting until nothing is in flight',
    EXPECTATION_SCHEMA,
    checkExpectations,
  ),
};

type Verb = keyof typeof VERBS;
export const VERB_NAMES = Object.keys(VERBS) as Verb[];

interface Creation {
  readonly charge?: Body;
  readonly withdrawal?: Body;
  readonly endpoint?: Body;
  readonly session?: Body;
}

async function create(
  context: StepContext,
  { charge, withdrawal, endpoint, session = {} }: Creation,
): Promise<unknown> {
  const draft = (what: string) => {
    context.drafted += 1;
    return `${what}-${context.run}-${context.drafted}`;
  };
  if (charge !== undefined) {
    const drafted = { account_id: context.clients.env.SANDBOX_ACCOUNT_ID, amount: '100.00' };
    return sendAsApp(context, CHARGES, { code: charge['code'] ?? draft('charge'), ...drafted, ...charge });
  }
  if (withdrawal !== undefined) {
    const code = withdrawal['code'] ?? draft('withdrawal');
    return context.clients.control.post('withdrawals', { body: { code, ...withdrawal } as Body });
  }
  if (endpoint !== undefined) {
    const made = await sendAsApp(context, ENDPOINTS, { events: EVENT_TYPES, ...endpoint });
    context.endpoints.add(String(made['id']));
    return made;
  }
  const { idempotency_key: key = draft('identity-session'), customerType = 'individual' } = session;
  return sendAsApp(context, SESSIONS, { customerType }, { 'idempotency-key': String(key) });
}

function lost(what: string): StepFailure {
  return new StepFailure(`${what}: the response was lost.`);
}

function succeeded<Answer extends { readonly status: number; readonly body: unknown }>(
  what: string,
  answer: Answer | undefined,
): Answer {
  if (answer === undefined) throw lost(what);
  if (answer.status < 200 || answer.status >= 300) throw createStepFailure(what, answer.status, answer.body);
  return answer;
}

/** Sends a request as the application and returns the response body. Rejects with StepFailure unless 2xx. */
async function sendAsApp(
  context: StepContext,
  path: string,
  body?: Body,
  headers?: Record<string, string>,
): Promise<Body> {
  const answer = await context.clients.call({ method: 'POST', path, body, headers });
  return succeeded(`POST ${path}`, answer).body as Body;
}

export async function removeScenarioFaults({ clients, faults }: StepContext): Promise<void> {
  for (const id of faults) await clients.control.delete('faults/:id', { id }).catch(() => undefined);
  faults.clear();
}

/** Connects the receiver, or changes its replies if it is already connected. */
export async function receiveDelivery(context: StepContext, spec: ReceiverSpec): Promise<unknown> {
  if (context.receiver === undefined) context.receiver = await ScenarioReceiver.connect(context, spec);
  else context.receiver.answer(spec.answers);
  return context.receiver.facts;
}

type Schemas = { readonly [Name in Verb]: (typeof VERBS)[Name]['schema'] };
const SCHEMAS = Object.fromEntries(
  Object.entries(VERBS).map(([name, { schema }]) => [name, schema]),
) as unknown as Schemas;

/** Validates a value with resolved references, then performs the verb. Rejects with StepFailure. */
export async function performStep(context: StepContext, name: Verb, value: unknown): Promise<unknown> {
  const issues = findIssues(SCHEMAS[name], value, [name]);
  if (issues.length > 0)
    throw new StepFailure(...issues.map(({ path, message }) => `${formatPath(path)}: ${message}`));
  return VERBS[name].perform(context, value as never);
}

export const PREDEFINED_NAMES = ['env', 'run', 'receiver'] as const;

const STEP = object(
  'a step',
  partial({
    as: withDoc(
      'a name for the result, used by later steps',
      text('a name of unaccented letters, digits, underscores and hyphens', /^[A-Za-z_][A-Za-z0-9_-]*$/u),
    ),
    note: withDoc('the purpose of the step', text('a string')),
    ...SCHEMAS,
  }),
  { exactlyOne: VERB_NAMES },
);

const BEGINNING = object(
  'sandbox settings',
  partial({
    freeze: withDoc(
      'the instant at which the clock is frozen',
      parseableText('an instant such as 2026-01-31T12:00:00Z', INSTANT_PATTERN, parseInstant),
    ),
    seed: withDoc('derive ids, secrets and random choices from this seed', text('a string')),
    assume: withDoc(
      'chooses behavior that the contract leaves open, by assumption id',
      record(text('a string'), 'an object of strings'),
    ),
    auto_settle: withDoc('pays charges automatically after this time', autoDelay),
    kyc_auto: withDoc(
      'decides identity sessions automatically',
      object('an automatic decision', {
        status: createWordSchema('a decision', SESSION_DECISIONS),
        delay: optional(autoDelay),
      }),
    ),
    routes: withDoc(
      'redirects deliveries from one origin to another',
      record(text('an origin'), 'an object of origins'),
    ),
    allow_local_endpoints: withDoc('allows http and local endpoints', boolean),
  }),
);
export type ScenarioStart = Infer<typeof BEGINNING>;

export const SCENARIO_SCHEMA = object('a scenario', {
  steps: array(STEP, { what: 'a list of one or more steps', min: 1 }),
  ...partial({
    $schema: text('the URL of the schema'),
    name: withDoc('the name in results; defaults to the file name', text('a string')),
    description: withDoc('a one-sentence summary', text('a string')),
    sandbox: withDoc('settings for a fresh sandbox; a running sandbox does not change', BEGINNING),
    receiver: withDoc('the built-in receiver, connected from the start', RECEIVER),
  }),
});
export type Scenario = Infer<typeof SCENARIO_SCHEMA>;
export type Step = Scenario['steps'][number];

export function getVerb(step: Step): Verb {
  const name = VERB_NAMES.find((one) => step[one] !== undefined);
  if (name === undefined) throw new TypeError('A step without a verb was not rejected.');
  return name;
}

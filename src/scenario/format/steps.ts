import { CALL_FAULTS, DELIVERY_FAULTS, FAULT_DOORS } from '../../contract/fault-kinds.js';
import { RETRY_SCHEDULES } from '../../contract/limits.js';
import { CUSTOMER_TYPES } from '../../core/identity/session.js';
import { SESSION_DECISIONS } from '../../contract/transitions.js';
import { EVENT_TYPES } from '../../core/world.js';
import { EXPECTATION } from './expectations.js';
import type { ValueOf } from './shape.js';
import {
  anything,
  choice,
  documented,
  either,
  flag,
  list,
  number,
  object,
  record,
  text,
  word,
} from './shape.js';

const DURATION_FORM = '(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d))+';
const duration = text('a duration such as 90s, 5m, 45h or 1d12h', `^${DURATION_FORM}$`);
const metadata = record('an object of texts', text('a text'));
const charge = text('the id or code of a charge');
const withdrawal = text('the id or code of a withdrawal');
const reason = text('an SPI code such as AC03');
const event = word('an event', EVENT_TYPES);
const events = list('a list of one or more events', event, 1);
const count = (most: number) => number(`a whole number from 1 to ${most}`, 1, most);

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

/** Not of the receiver: the attempt times out, or its connection breaks. */
const BROKEN_ANSWERS = ['timeout', 'reset'] as const;
const ANSWER = either(number('a status from 200 to 599', 200, 599), word('an answer', BROKEN_ANSWERS));
export type ReceiverAnswer = ValueOf<typeof ANSWER>;

const RECEIVER = object(
  'a receiver',
  {},
  {
    answers: documented(
      'what it answers to verified deliveries, one after the other; the last one stays',
      list('a list of one or more answers', ANSWER, 1),
    ),
    events: documented('what it subscribes to: by default every event', events),
    retries: documented(
      'the schedule of its retries',
      word('a schedule', Object.keys(RETRY_SCHEDULES) as (keyof typeof RETRY_SCHEDULES)[]),
    ),
  },
);
export type ReceiverSpec = ValueOf<typeof RECEIVER>;

const ANSWERED = object(
  'an expected answer',
  {},
  {
    status: either(number('a status from 100 to 599', 100, 599), text('a status such as 4*')),
    body: anything,
    lost: documented('no answer arrives, or half of one', flag(true)),
  },
);

/** Every verb with what it takes. A step has exactly one of them. */
export const VERBS = {
  create: documented(
    'makes something: a charge, an endpoint or a session as the application does, a withdrawal by the control API',
    choice(
      'something to create',
      {},
      {},
      {
        charge: object('the fields of a charge', {}, NEW_CHARGE),
        withdrawal: object('the fields of a withdrawal', {}, NEW_WITHDRAWAL),
        endpoint: object(
          'the fields of an endpoint',
          { url: text('a URL') },
          { events, description: text('a description') },
        ),
        session: object(
          'the fields of an identity session',
          {},
          {
            customerType: word('a customer type', CUSTOMER_TYPES),
            idempotency_key: text('16 to 255 printable characters'),
          },
        ),
      },
    ),
  ),
  trigger: documented(
    'makes an event happen, on a new charge or withdrawal or on one that exists',
    either(
      event,
      object(
        'a trigger',
        { type: event },
        {
          charge,
          withdrawal,
          reason,
          with: record('the fields of a new one', anything),
          late: flag(),
          override: record('an object from paths to values', anything),
          count: count(10_000),
        },
      ),
    ),
  ),
  call: documented(
    'calls the service as the application, signed; without `expect` it has to succeed',
    object(
      'a call',
      {
        method: text('a method such as POST', '^[A-Z]+$'),
        path: text('a path such as /api/public/v1/pix', '^/'),
      },
      {
        body: anything,
        headers: record('an object of headers', text('the text of a header')),
        nonce: text('16 to 128 of A-Z a-z 0-9 _ -'),
        signed: documented('false sends neither token nor signature', flag()),
        expect: ANSWERED,
      },
    ),
  ),
  settle: documented(
    'the payer pays, or the bank settles',
    choice('what to settle', {}, {}, { charge, withdrawal }),
  ),
  fail: documented(
    'the payment fails, or the bank rejects',
    choice('what to fail', {}, { reason }, { charge, withdrawal }),
  ),
  expire: documented('the charge expires now', object('what to expire', { charge }, {})),
  process: documented('the bank takes the withdrawal up', object('what to process', { withdrawal }, {})),
  return: documented(
    'the destination bank sends the withdrawal back',
    object('what to return', { withdrawal }, { reason }),
  ),
  decide: documented(
    'decides an identity session',
    object(
      'a decision',
      { session: text('the id of an identity session') },
      {
        status: word('a decision', SESSION_DECISIONS),
        document: text('a CPF or CNPJ'),
        delay: duration,
        error: text('an error code of the page'),
      },
    ),
  ),
  advance: documented(
    'moves the clock and does all that falls due on the way; `next` goes to the next thing due',
    text('a duration such as 45h, or next', `^(?:${DURATION_FORM}|next)$`),
  ),
  fault: documented(
    'what is to go wrong from here on, until the scenario ends; `none` ends all that it added',
    either(
      word('a fault or', ['none']),
      object(
        'a fault',
        {
          action: word('a fault', [
            ...new Set([...Object.keys(CALL_FAULTS), ...Object.keys(DELIVERY_FAULTS)]),
          ]),
        },
        {
          on: word('what it is on', ['call', 'delivery']),
          door: word('a door', FAULT_DOORS),
          method: text('a method'),
          path: text('a path, * for anything'),
          event: text('an event, * for anything'),
          endpoint: text('the id of an endpoint'),
          attempt: count(1_000),
          status: number('a status from 200 to 599', 200, 599),
          delay: duration,
          copies: count(10),
          probability: number('a number from 0 to 1', 0, 1, { isWhole: false }),
          count: count(1_000_000),
        },
      ),
    ),
  ),
  receiver: documented('connects the built-in receiver, or changes what it answers from here on', RECEIVER),
  resend: documented(
    'sends an event again',
    either(
      text('the id of an event'),
      object(
        'what to resend',
        { event: text('the id of an event') },
        { endpoint: text('the id of an endpoint') },
      ),
    ),
  ),
  retry: documented('puts a delivery in FAILED back for one more attempt', text('the id of a delivery')),
  rotate: documented('rotates the secret of an endpoint, as the application', text('the id of an endpoint')),
  reset: documented('takes the whole sandbox back to its start', flag(true)),
  expect: documented('what is to be so by now; waits until nothing is in flight', EXPECTATION),
} as const;

export type Verb = keyof typeof VERBS;
export const VERB_NAMES = Object.keys(VERBS) as Verb[];
/** What a verb takes. */
export type Taken<Name extends Verb> = ValueOf<(typeof VERBS)[Name]>;

/** Names that every scenario has from the beginning. */
export const GIVEN_NAMES = ['env', 'run', 'receiver'] as const;

const STEP = choice(
  'a step',
  {},
  {
    as: documented(
      'a name by which later steps refer to what came of this one',
      text('a name of A-Z a-z 0-9 _ -', '^[A-Za-z_][A-Za-z0-9_-]*$'),
    ),
    note: documented('what it is for', text('a text')),
  },
  VERBS,
);

/** How a fresh sandbox begins. */
const BEGINNING = object(
  'the beginning of a sandbox',
  {},
  {
    freeze: documented(
      'the instant at which its clock stands',
      text(
        'an instant such as 2026-01-31T12:00:00Z',
        '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(?:Z|[+-]\\d\\d:\\d\\d)$',
      ),
    ),
    seed: documented('ids, secrets and chance follow from it', text('a text')),
    assume: documented(
      'choices for what the contract leaves open, by id',
      record('an object of texts', text('a text')),
    ),
    auto_settle: documented('charges are paid by themselves after this time', duration),
    kyc_auto: documented(
      'identity sessions decide themselves',
      object('a decision for all', { status: word('a decision', SESSION_DECISIONS) }, { delay: duration }),
    ),
    routes: documented(
      'where deliveries to an origin go instead',
      record('an object of origins', text('an origin')),
    ),
    allow_local_endpoints: documented('lets endpoints be http and local', flag()),
  },
);
export type Beginning = ValueOf<typeof BEGINNING>;

/** A scenario as its file holds it. */
export const SCENARIO = object(
  'a scenario',
  { steps: list('a list of one or more steps', STEP, 1) },
  {
    $schema: text('the address of the schema'),
    name: documented('what results call it: by default the name of the file', text('a text')),
    description: documented('what it shows, in one sentence', text('a text')),
    sandbox: documented('how a fresh sandbox begins; a running one stays as it is', BEGINNING),
    receiver: documented('the built-in receiver, connected from the beginning', RECEIVER),
  },
);
export type Scenario = ValueOf<typeof SCENARIO>;
export type Step = Scenario['steps'][number];

/** The verb of a step. */
export function verbOf(step: Step): Verb {
  const verb = VERB_NAMES.find((name) => step[name] !== undefined);
  if (verb === undefined) throw new TypeError('A step without a verb was not refused.');
  return verb;
}

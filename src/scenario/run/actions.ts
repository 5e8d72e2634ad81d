import type { Answered } from './requests.js';
import type { ControlClient } from '../../client/control.js';
import type { PathOf } from '../../client/route-types.js';
import { expectAll } from './expect.js';
import { refused, StepFailure } from './failure.js';
import type { Taken, Verb } from '../format/steps.js';
import { VERBS } from '../format/steps.js';
import { pathText } from '../../schema/place.js';
import { mistakesIn } from '../../schema/sentences.js';
import { differences } from './match.js';
import { EVENT_TYPES } from '../../contract/events.js';
import { ScenarioReceiver } from './receiver.js';
import type { Stage } from './stage.js';
import { encodeSegment } from '../../text/urls.js';

/** Performs a verb. Later steps may refer to its result. Rejects with StepFailure. */
type Action<Value> = (stage: Stage, taken: Value) => Promise<unknown>;

const CHARGES = '/api/public/v1/pix';
const ENDPOINTS = '/api/public/v1/webhook-endpoints';
const SESSIONS = '/api/v1/kyc/sessions';

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

async function create(
  stage: Stage,
  { charge, withdrawal, endpoint, session }: Taken<'create'>,
): Promise<unknown> {
  if (charge !== undefined) {
    const drafted = { account_id: stage.doors.env.SANDBOX_ACCOUNT_ID, amount: '100.00' };
    return asApp(stage, CHARGES, { code: charge.code ?? draftName(stage, 'charge'), ...drafted, ...charge });
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
  return asApp(
    stage,
    SESSIONS,
    { customerType },
    { 'idempotency-key': key ?? draftName(stage, 'identity-session') },
  );
}

async function call(stage: Stage, { expect: wanted, ...sent }: Taken<'call'>): Promise<unknown> {
  const answer = await stage.doors.call(sent);
  const what = `${sent.method} ${sent.path}`;
  if (wanted?.lost === true) {
    if (answer === undefined) return { lost: true };
    throw new StepFailure(`${what}: expected the answer to be lost; got ${answer.status}.`);
  }
  if (answer === undefined) throw new StepFailure(`${what}: the answer was lost on the way.`);
  const misses = wanted === undefined ? unsuccessful(what, answer) : differences(wanted, answer);
  if (misses.length > 0)
    throw new StepFailure(...misses.map((miss) => `${what}: ${miss}`), ...reasonOf(answer));
  return answer;
}

function unsuccessful(what: string, { status, body }: Answered): string[] {
  if (status >= 200 && status < 300) return [];
  throw refused(what, status, body);
}

function reasonOf({ body }: Answered): string[] {
  const { error } = (body ?? {}) as { readonly error?: { readonly code: string; readonly message: string } };
  return error === undefined ? [] : [`It said ${error.code}: ${error.message}`];
}

type MovePath = Extract<PathOf<'POST'>, `${'charges' | 'withdrawals'}/:id/${string}`>;

/** Moves a charge or a withdrawal through the control API. */
function move(
  verb: 'settle' | 'fail' | 'expire' | 'process' | 'return',
): Action<{ readonly [Name in 'charge' | 'withdrawal' | 'reason']?: string | undefined }> {
  return ({ doors }, { charge, withdrawal, reason }) => {
    const path = `${charge === undefined ? 'withdrawals' : 'charges'}/:id/${verb}` as MovePath;
    return doors.control.post(path, { id: charge ?? withdrawal ?? '', body: { reason } });
  };
}

async function fault(stage: Stage, taken: Taken<'fault'>): Promise<unknown> {
  if (taken === 'none') {
    await removeFaults(stage);
    return {};
  }
  const added = await stage.doors.control.post('faults', { body: taken as Exclude<typeof taken, string> });
  stage.faults.add(added.id);
  return added;
}

/** Removes the faults that the scenario added; others stay. */
export async function removeFaults({ doors, faults }: Stage): Promise<void> {
  for (const id of faults) {
    await doors.control.delete('faults/:id', { id }).catch(() => undefined);
    faults.delete(id);
  }
}

/** Connects the receiver, or changes the answers of the connected one. */
export async function receive(stage: Stage, spec: Taken<'receiver'>): Promise<unknown> {
  if (stage.receiver === undefined) {
    stage.receiver = await ScenarioReceiver.connect(stage, spec);
  } else {
    stage.receiver.answer(spec.answers);
  }
  return stage.receiver.facts;
}

async function rotate(stage: Stage, id: string): Promise<unknown> {
  const rotated = await asApp(stage, `${ENDPOINTS}/${encodeSegment(id)}/rotate-secret`);
  if (id === stage.receiver?.facts.id) stage.receiver.learn((rotated as { readonly secret: string }).secret);
  return rotated;
}

async function reset(stage: Stage): Promise<unknown> {
  const registered = stage.receiver?.registered();
  const answer = await stage.doors.control.post('reset');
  await registered;
  stage.receiver?.forget();
  stage.faults.clear();
  await stage.history.beginAgain();
  return answer;
}

const by =
  <Value>(action: (control: ControlClient, taken: Value) => Promise<unknown>): Action<Value> =>
  ({ doors }, taken) =>
    action(doors.control, taken);

/** The action of each verb; references in its value have been replaced. */
const ACTIONS: { readonly [Name in Verb]: Action<Taken<Name>> } = {
  create,
  trigger: by((control, taken) =>
    control.post('trigger', { body: typeof taken === 'string' ? { type: taken } : taken }),
  ),
  call,
  settle: move('settle'),
  fail: move('fail'),
  expire: move('expire'),
  process: move('process'),
  return: move('return'),
  decide: by((control, { session, ...decision }) =>
    control.post('kyc/sessions/:id/decide', { id: session, body: decision }),
  ),
  advance: by<string>((control, time) =>
    time === 'next' ? control.post('clock/next') : control.post('clock/advance', { body: { by: time } }),
  ),
  fault,
  receiver: receive,
  resend: by((control, taken) => {
    const { event, ...to } = typeof taken === 'string' ? { event: taken } : taken;
    return control.post('events/:id/resend', { id: event, body: to });
  }),
  retry: by((control, id) => control.post('deliveries/:id/retry', { id })),
  rotate,
  reset,
  expect: expectAll,
};

/** Checks the value again, because references in it have been replaced, and performs the verb. Rejects with StepFailure. */
export async function perform(stage: Stage, verb: Verb, taken: unknown): Promise<unknown> {
  const mistakes = mistakesIn(VERBS[verb], taken, [verb]);
  if (mistakes.length > 0) {
    throw new StepFailure(...mistakes.map(({ path, message }) => `${pathText(path)}: ${message}`));
  }
  return ACTIONS[verb](stage, taken as never);
}

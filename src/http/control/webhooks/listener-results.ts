import { clearTimeout, setTimeout } from 'node:timers';
import { ATTEMPT_ERRORS } from '../../../contract/attempt-errors.js';
import { lookUp } from '../../../core/named-rows.js';
import { body as bodyOf } from '../../../core/input/body.js';
import { PAIRS, wholeNumber } from '../../../core/input/kinds.js';
import { NAME, RAW_TEXT } from '../../../core/input/text-kinds.js';
import { LIMITS } from '../../../contract/limits.js';
import type { Delivery } from '../../../core/world.js';
import { Refusal } from '../../../contract/refusals.js';
import type { AttemptResponse, AttemptResult } from '../../../delivery/http-attempt.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { named, nullish } from '../../../schema/fields.js';
import type { ValuesOf } from '../../../schema/object.js';
import type { Infer } from '../../../schema/schema.js';
import { flag, keyOf, map, number } from '../../../schema/values.js';
import type { Answer } from '../../operation/answer.js';
import type { ControlRequest } from '../control.js';
import { ok } from '../control.js';
import { deliveryLine } from '../views.js';

const STATUS_MIN = 100;
const STATUS_MAX = 999;
const TEXT_LENGTH = 2_000;
const LATENCY_MAX_MS = 86_400_000;

/** Error messages of the system may hold any character, so only their length is limited. */
const MACHINE_TEXT = map(RAW_TEXT, (text) => text.slice(0, TEXT_LENGTH));

/** POST listeners/{id}/results: the delivery after the result; 409 when the attempt was already decided. */
export async function takeResult(request: ControlRequest<Infer<typeof RESULT>>): Promise<Answer> {
  const { sandbox, param, body } = request;
  const { attemptId, result } = body;
  const endpoint = lookUp(sandbox.world, 'endpoint', param('id'));
  if (!sandbox.listeners.answer(endpoint.id, attemptId, result)) {
    throw new Refusal(
      'INVALID_TRANSITION',
      `The attempt ${attemptId} is not open: its result came too late.`,
    );
  }
  const delivery = sandbox.world.deliveries.byId.get(attemptId.split('.')[0] ?? '');
  if (delivery === undefined) return ok({ delivery: null });
  await attemptOver(sandbox, delivery);
  return ok({ delivery: deliveryLine(sandbox, delivery) });
}

/** Resolves when the attempt in flight has ended or was replaced. Does not wait for an attempt that a fault prolongs. */
function attemptOver(sandbox: Sandbox, delivery: Delivery): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      for (const end of ends) end();
      resolve();
    };
    const timer = setTimeout(finish, delivery.faults.length > 0 ? 0 : LIMITS.attemptTimeoutMs);
    const ends = [
      sandbox.onReset(finish),
      sandbox.onClose(finish),
      sandbox.subscribe((effects) => {
        if (effects.some((effect) => effect.type === 'delivery' && effect.delivery === delivery)) finish();
      }),
    ];
  });
}

const RESULT_FIELDS = {
  attemptId: named('attempt_id', NAME),
  status: named('response_status', nullish(wholeNumber(STATUS_MIN, STATUS_MAX), null)),
  latencyMs: named(
    'latency_ms',
    nullish(number(`a number from 0 to ${LATENCY_MAX_MS}`, { least: 0, most: LATENCY_MAX_MS }), 0),
  ),
  error: nullish(keyOf(ATTEMPT_ERRORS), null),
  detail: nullish(MACHINE_TEXT, null),
  bodyError: named('body_error', nullish(MACHINE_TEXT, null)),
  headers: named('response_headers', nullish(PAIRS, [])),
  body: named('response_body', nullish(RAW_TEXT, null)),
  truncated: nullish(flag, false),
};
type Reported = ValuesOf<typeof RESULT_FIELDS>;

/** What a listener reports of an attempt: as `deliveries/{id}` shows it, with the answer's body in base64. */
export const RESULT = map(
  bodyOf(RESULT_FIELDS, { rules: [{ of: ['error', 'status'], problem: errorProblem }] }),
  ({ attemptId, headers, body, truncated, ...result }): { attemptId: string; result: AttemptResult } => ({
    attemptId,
    result: { ...result, response: body === null ? null : responseOf(headers, body, truncated) },
  }),
);

/** Only a 2xx is a success: an error that contradicts the status would reverse the outcome of the delivery. */
function errorProblem({ error, status }: Reported): string | undefined {
  const isSuccess = status !== null && status >= 200 && status < 300;
  if (isSuccess === (error === null)) return undefined;
  if (isSuccess) return `Must be null for the status ${status}.`;
  return `Is required without a 2xx response_status: one of ${RESULT_FIELDS.error.known?.join(', ')}.`;
}

function responseOf(headers: [string, string][], body: string, truncated: boolean): AttemptResponse {
  const bytes = Buffer.from(body, 'base64');
  return {
    headers,
    body: bytes.subarray(0, LIMITS.responseBytes),
    truncated: truncated || bytes.length > LIMITS.responseBytes,
  };
}

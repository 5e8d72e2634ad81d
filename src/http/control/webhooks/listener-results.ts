import { clearTimeout, setTimeout } from 'node:timers';
import type { AttemptError } from '../../../contract/attempt-errors.js';
import { ATTEMPT_ERRORS } from '../../../contract/attempt-errors.js';
import { findEndpoint } from '../../../core/webhooks/endpoints.js';
import type { FieldReader } from '../../../core/input/field-reader.js';
import { LIMITS } from '../../../contract/limits.js';
import type { Delivery } from '../../../core/world.js';
import { Refusal } from '../../../contract/refusals.js';
import type { AttemptResponse, AttemptResult } from '../../../delivery/http-attempt.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { Answer } from '../../operation/answer.js';
import type { ControlRequest, Sent } from '../control.js';
import { ok } from '../control.js';
import { deliveryLine } from '../views.js';

const ERRORS = Object.keys(ATTEMPT_ERRORS) as AttemptError[];
const STATUS_MIN = 100;
const STATUS_MAX = 999;
const TEXT_LENGTH = 2_000;
const LATENCY_MAX_MS = 86_400_000;

/** POST listeners/{id}/results: the delivery as the result left it; 409 when the attempt was decided already. */
export async function takeResult(
  { sandbox, param }: ControlRequest,
  { body: { attemptId, result } }: Sent<ListenerResult, undefined>,
): Promise<Answer> {
  const endpoint = findEndpoint(sandbox.world, param('id'));
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

/** Resolves when the attempt in flight has ended or was overtaken. A fault may keep it going: its end is not waited for. */
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

interface ListenerResult {
  readonly attemptId: string;
  readonly result: AttemptResult;
}

/** What a listener reports of an attempt: as `deliveries/{id}` shows it, with the answer's body in base64. */
export function readResult(fields: FieldReader): ListenerResult {
  const attemptId = fields.text('attempt_id', LIMITS.nameLength);
  const status = fields.wholeNumber('response_status', STATUS_MIN, STATUS_MAX);
  const latencyMs = fields.number('latency_ms', { least: 0, most: LATENCY_MAX_MS });
  const result: AttemptResult = {
    status: status ?? null,
    error: readError(fields, status),
    detail: shortened(fields.optionalRawText('detail')),
    bodyError: shortened(fields.optionalRawText('body_error')),
    latencyMs: latencyMs ?? 0,
    response: readResponse(fields),
  };
  return { attemptId, result };
}

/** A 2xx is a success and nothing else is: an error that says otherwise would turn a delivery into its opposite. */
function readError(fields: FieldReader, status: number | undefined): AttemptError | null {
  const error = fields.oneOf('error', ERRORS);
  const isSuccess = status !== undefined && status >= 200 && status < 300;
  fields.check(!isSuccess || error === undefined, 'error', `Must be null for the status ${status ?? 0}.`);
  fields.check(
    isSuccess || error !== undefined,
    'error',
    `Is required without a 2xx response_status: one of ${ERRORS.join(', ')}.`,
  );
  return error ?? null;
}

function readResponse(fields: FieldReader): AttemptResponse | null {
  const headers = fields.optionalPairs('response_headers') ?? [];
  const body = fields.optionalRawText('response_body');
  const truncated = fields.flag('truncated') ?? false;
  if (body === undefined) return null;
  const bytes = Buffer.from(body, 'base64');
  return {
    headers: headers.map(([name, value]) => [name, value]),
    body: bytes.subarray(0, LIMITS.responseBytes),
    truncated: truncated || bytes.length > LIMITS.responseBytes,
  };
}

/** Error texts of a machine may hold any character, so only their length is bounded. */
function shortened(text: string | undefined): string | null {
  return text?.slice(0, TEXT_LENGTH) ?? null;
}

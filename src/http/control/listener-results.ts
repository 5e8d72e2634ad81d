import { setImmediate } from 'node:timers';
import type { AttemptError } from '../../core/attempt-errors.js';
import { ATTEMPT_ERRORS } from '../../core/attempt-errors.js';
import { findEndpoint } from '../../core/endpoints.js';
import type { Fields } from '../../core/fields.js';
import { LIMITS } from '../../core/limits.js';
import { Refusal } from '../../core/refusal.js';
import type { AttemptResponse, AttemptResult } from '../../delivery/http-attempt.js';
import type { Answer } from '../answer.js';
import type { ControlRequest } from './control.js';
import { noMoreFields, ok } from './control.js';
import { deliveryLine } from './present.js';

const ERRORS = Object.keys(ATTEMPT_ERRORS) as AttemptError[];
const TEXT_LENGTH = 2_000;
const LATENCY_MAX_MS = 86_400_000;

/** POST listeners/{id}/results: the delivery as the result left it; 409 when the attempt was decided already. */
export async function takeResult({ sandbox, fields, param }: ControlRequest): Promise<Answer> {
  const endpoint = findEndpoint(sandbox.world, param('id'));
  const { attemptId, result } = parseResult(fields);
  if (sandbox.listeners.answer(endpoint.id, attemptId, result)) {
    await new Promise((resolve) => setImmediate(resolve));
    const delivery = sandbox.world.deliveries.byId.get(attemptId.split('.')[0] ?? '');
    return ok({ delivery: delivery === undefined ? null : deliveryLine(sandbox, delivery) });
  }
  throw new Refusal('INVALID_TRANSITION', `The attempt ${attemptId} is not open: its result came too late.`);
}

/** What a listener reports of an attempt: as `deliveries/{id}` shows it, with the answer's body in base64. */
function parseResult(fields: Fields): { attemptId: string; result: AttemptResult } {
  const attemptId = fields.text('attempt_id', LIMITS.nameLength);
  const status = optionalNumber(fields, 'response_status', { least: 100, most: 999 });
  const latencyMs = optionalNumber(fields, 'latency_ms', { least: 0, most: LATENCY_MAX_MS });
  const result: AttemptResult = {
    status: status ?? null,
    error: parseError(fields, status),
    detail: optionalString(fields, 'detail') ?? null,
    bodyError: optionalString(fields, 'body_error') ?? null,
    latencyMs: latencyMs ?? 0,
    response: parseResponse(fields),
  };
  noMoreFields(fields);
  return { attemptId, result };
}

/** A 2xx is a success and nothing else is: an error that says otherwise would turn a delivery into its opposite. */
function parseError(fields: Fields, status: number | undefined): AttemptError | null {
  const error = fields.oneOf('error', ERRORS);
  const isSuccess = status !== undefined && status >= 200 && status < 300;
  if (isSuccess && error !== undefined) fields.problem('error', `Must be null for the status ${status}.`);
  if (!isSuccess && error === undefined) {
    fields.problem('error', `Is required without a 2xx response_status: one of ${ERRORS.join(', ')}.`);
  }
  return error ?? null;
}

function parseResponse(fields: Fields): AttemptResponse | null {
  const headers = fields.take('response_headers') ?? [];
  const body = fields.take('response_body');
  const truncated = fields.take('truncated') === true;
  if (!isHeaderList(headers)) {
    fields.problem('response_headers', 'Must be a list of pairs [name, value].');
    return null;
  }
  if (body === undefined) return null;
  if (typeof body !== 'string') {
    fields.problem('response_body', 'Must be a string in base64.');
    return null;
  }
  const bytes = Buffer.from(body, 'base64');
  return {
    headers,
    body: bytes.subarray(0, LIMITS.responseBytes),
    truncated: truncated || bytes.length > LIMITS.responseBytes,
  };
}

function isHeaderList(value: unknown): value is [string, string][] {
  return (
    Array.isArray(value) &&
    value.every(
      (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string'),
    )
  );
}

function optionalNumber(fields: Fields, field: string, { least, most }: { least: number; most: number }) {
  const value = fields.take(field);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  return fields.problem(field, `Must be a number from ${least} to ${most}, or null.`);
}

/** Error texts of a machine may hold any character, so only their length is bounded. */
function optionalString(fields: Fields, field: string): string | undefined {
  const value = fields.take(field);
  if (value === undefined || typeof value === 'string') return value?.slice(0, TEXT_LENGTH);
  return fields.problem(field, 'Must be a string or null.');
}

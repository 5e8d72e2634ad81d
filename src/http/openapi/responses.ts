import type { JsonSchema } from '../../schema/json-schema.js';
import type { RefusalCode } from '../../contract/refusals.js';
import { REFUSAL_MEANINGS } from '../../contract/refusal-meanings.js';
import { REFUSAL_STATUSES } from '../../contract/refusals.js';
import type { ErrorBody } from '../operation/error-body.js';
import { reference } from '../../schema/json-schema.js';

const RETRY_AFTER: JsonSchema = {
  description: 'Seconds to wait.',
  schema: { type: 'integer', minimum: 0 },
};
const EXAMPLE_REQUEST_ID = 'req_00000000000000000000000000000000';

/** Collects the error responses of operations, so that equal ones are written once. */
export class Responses {
  readonly #components = new Map<string, JsonSchema>();

  /** The responses of an operation that may refuse with these codes, by status. */
  refusals(codes: readonly RefusalCode[]): JsonSchema {
    const known = (Object.keys(REFUSAL_STATUSES) as RefusalCode[]).filter((code) => codes.includes(code));
    const statuses = [...new Set(known.map((code) => REFUSAL_STATUSES[code]))];
    return Object.fromEntries(
      statuses.map((status) => [status, this.#of(known.filter((code) => REFUSAL_STATUSES[code] === status))]),
    );
  }

  /** The Components Object’s responses. */
  components(): JsonSchema {
    return Object.fromEntries(this.#components);
  }

  #of(codes: readonly RefusalCode[]): JsonSchema {
    const name = codes.join('.');
    if (!this.#components.has(name)) this.#components.set(name, responseTo(codes));
    return { $ref: `#/components/responses/${name}` };
  }
}

function responseTo(codes: readonly RefusalCode[]): JsonSchema {
  const isLimited = codes.includes('RATE_LIMITED');
  return {
    description: codes.map((code) => `\`${code}\`: ${REFUSAL_MEANINGS[code]}`).join('\n\n'),
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...(isLimited ? { 'retry-after': RETRY_AFTER } : {}),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [reference('Error')],
          properties: { error: { properties: { code: { enum: codes } }, additionalProperties: true } },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: RefusalCode): ErrorBody {
  return {
    error: { code, message: REFUSAL_MEANINGS[code], request_id: EXAMPLE_REQUEST_ID, details: [] },
  };
}

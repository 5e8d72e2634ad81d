import { LIMITS } from '../../contract/limits.js';
import type { RefusalCode } from '../../contract/refusals.js';
import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { type NamedSchema, collectComponents, type JsonSchema, type Schema } from '../../schema/schema.js';
import { SANDBOX_HEADER } from '../../text/control-api.js';
import * as exchanges from '../control/exchanges.js';
import * as listeners from '../control/listeners.js';
import * as payments from '../control/payments.js';
import { type ControlRoute, getBodySchema } from '../control/route.js';
import * as views from '../control/schema.js';
import * as system from '../control/system.js';
import * as timeline from '../control/timeline.js';
import * as world from '../control/world.js';
import * as errors from '../shared/response.js';
import { type OpenApiDocument, openApiDocument, type Operation, type Tag, TAGS } from './document.js';

const DESCRIPTION = `The API for simulating the payer, the bank and the tester. It exists only in the sandbox, \
not in the service.

An id in a path, query or body can be the full id, the code of a charge or withdrawal, the name of an \
application, \`latest\`, or an id prefix of at least four hex digits, such as \`1a2b\` or \`evt_1a2b\`. For an \
event, a delivery or an API request, the code of a payment selects the payment’s newest one. If an id is \
ambiguous, the error lists the matching ids. A code or name equal to \`latest\` takes precedence. Deletions \
require the full id. Select an application with \
\`app\` in the query or the body. A receiver’s UTF-8 response is text in \`body\`; any other response is \
base64 in \`body_base64\`. Durations have the form \`90s\`, \`5m\`, \`2h\`, \`1d\` or, combined, \
\`1d12h\`. Unknown fields are rejected as probable typos. Every response has the header \
\`${SANDBOX_HEADER}\` with the sandbox’s version. Request bodies are limited to \
${LIMITS.controlBodyBytes / 1024} KiB, states to ${LIMITS.stateBodyBytes / 1024 / 1024} MiB.`;

/** Tags for first path segments that are not tags themselves. */
const TAG_OF: Readonly<Record<string, Tag>> = {
  agenda: 'clock',
  apps: 'applications',
  kyc: 'identity',
  ledger: 'transactions',
  logs: 'calls',
  receiver: 'listeners',
  stream: 'calls',
  timeline: 'calls',
  trace: 'calls',
  trigger: 'events',
};

function tagOf({ name }: ControlRoute): Tag {
  const [, first = ''] = name.split(/[ /]/);
  return TAG_OF[first] ?? (Object.hasOwn(TAGS, first) ? (first as Tag) : 'sandbox');
}

/** Builds an operation id such as `getCharges`, `getCharge` or `postChargeSettle`. */
function operationId({ method, name }: ControlRoute): string {
  const words = name
    .slice(method.length + 1)
    .replaceAll(/(ie)?s\/:\w+/g, (_, ie) => (ie === undefined ? '' : 'y'))
    .replaceAll(/\/:\w+/g, '')
    .split(/\W/);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function contentOf({ responseSchema, lines }: ControlRoute): Operation['content'] {
  if ('messages' in responseSchema)
    return { 'text/event-stream': streamOf(responseSchema.messages, 'The data of each event') };
  const json = { 'application/json': responseSchema.json };
  return lines === undefined ? json : { ...json, 'application/x-ndjson': streamOf(lines, 'Each line') };
}

/** Describes a text stream with JSON parts. */
function streamOf({ name, json }: Schema<unknown> & NamedSchema, part: string): JsonSchema {
  return {
    type: 'string',
    description: `${part} is JSON matching the schema ${name}.`,
    'x-item-schema': json,
  };
}

/** This operation requires no control token. */
const LIVE = 'GET livez';

function refusalsOf({ name, query, errors: own = [] }: ControlRoute): RefusalCode[] {
  // Every route with an `app` parameter rejects unknown applications.
  const takesApp = query !== undefined && 'app' in query.fields;
  return name === LIVE ? [] : ['UNAUTHENTICATED', ...(takesApp ? ['NOT_FOUND' as const] : []), ...own];
}

/** Creates the control API's OpenAPI document; `url` is the sandbox's origin. */
export function createControlDocument(routes: readonly ControlRoute[], url: string): OpenApiDocument {
  const shapes = routes.flatMap(({ responseSchema, lines }) => [
    'messages' in responseSchema ? responseSchema.messages : responseSchema,
    lines,
  ]);
  const modules = [exchanges, listeners, payments, views, system, timeline, world];
  const { CHARGE_FEES: FEES, DESTINATION } = service;
  return openApiDocument({
    title: 'PIX sandbox: control API',
    description: DESCRIPTION,
    url,
    operations: routes.map((route) => ({
      ...route,
      id: operationId(route),
      tag: tagOf(route),
      body: getBodySchema(route),
      statuses: [...(route.repeats ? [200 as const] : []), route.status ?? 200],
      content: contentOf(route),
      refusals: refusalsOf(route),
      security: route.name === LIVE ? [{}] : [{}, { controlToken: [] }],
    })),
    schemas: collectComponents(errors, is, { FEES, DESTINATION }, ...modules, shapes),
    securitySchemes: {
      controlToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'Required if other machines can reach the sandbox; `start` prints the token.',
      },
    },
  });
}

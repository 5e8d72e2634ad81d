import { assumptionRegister } from '../../core/assumption-register.js';
import { findEndpoint } from '../../core/endpoints.js';
import type { Fields } from '../../core/fields.js';
import { parseEndpointBody } from '../../core/inputs.js';
import { LIMITS } from '../../core/limits.js';
import { appOrDefault, organizationOf } from '../../core/apps.js';
import type { OrganizationInput } from '../../core/organizations.js';
import { findOrganizationByName } from '../../core/organizations.js';
import { exportWorld } from '../../core/state.js';
import type { App } from '../../core/world.js';
import { SCOPES } from '../../core/world.js';
import { newCredentials } from '../../sandbox/credentials.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import { allowedUrl } from '../destinations.js';
import { clockView } from './clock-view.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { noMoreFields, ok } from './control.js';
import { appView, endpointView } from './present.js';
import type { ServerFacts } from './status-view.js';
import { statusView } from './status-view.js';

export type { ServerFacts } from './status-view.js';

async function createEndpoint({ sandbox, json, fields, query }: ControlRequest): Promise<Answer> {
  const { input, unknownFields } = parseEndpointBody(json, sandbox.world.assumed);
  for (const field of unknownFields) fields.problem(field, 'Is not a known field.');
  fields.done();
  const url = await allowedUrl(sandbox, input.url);
  const endpoint = sandbox.dispatch({
    type: 'endpoint.create',
    appId: appOrDefault(sandbox.world, query('app')).id,
    endpoint: { ...input, url, secret: sandbox.newWebhookSecret() },
  });
  return { status: 201, body: { ...endpointView(endpoint), secret: endpoint.secret } };
}

function switchEndpoint(type: 'endpoint.disable' | 'endpoint.enable') {
  return ({ sandbox, param, fields }: ControlRequest): Answer => {
    noMoreFields(fields);
    return ok(endpointView(sandbox.dispatch({ type, endpointId: param('id') })));
  };
}

function deleteEndpoint({ sandbox, param }: ControlRequest): Answer {
  const { id } = findEndpoint(sandbox.world, param('id'));
  sandbox.dispatch({ type: 'endpoint.delete', endpointId: id });
  return ok({ deleted: id });
}

/** A token has to fit into an Authorization header. */
function optionalToken(fields: Fields): string | undefined {
  const token = fields.optionalText('token', LIMITS.nameLength);
  if (token === undefined || /^[!-~]+$/.test(token)) return token;
  return fields.problem('token', 'Must be printable ASCII without space.');
}

function createApp({ sandbox, fields }: ControlRequest): Answer {
  const drawn = newCredentials(sandbox.drawBytes);
  const input = {
    name: fields.optionalText('name', LIMITS.nameLength) ?? `app-${sandbox.world.apps.rows.length + 1}`,
    scopes: fields.take('scopes') === undefined ? SCOPES : fields.listOf('scopes', SCOPES),
    token: optionalToken(fields) ?? drawn.token,
    signingSecret: fields.optionalText('signing_secret', LIMITS.nameLength) ?? drawn.signingSecret,
    accountId: fields.optionalUuid('account_id'),
    openingBalanceCents: fields.optionalAmount('opening_balance') ?? 0,
    organization: parseOrganization(sandbox, fields, drawn),
  };
  noMoreFields(fields);
  const app: App = sandbox.dispatch({ type: 'app.create', ...input });
  const { kycToken, publishableKey } = organizationOf(sandbox.world, app.id);
  const secrets = {
    signing_secret: app.signingSecret,
    kyc_token: kycToken,
    kyc_publishable_key: publishableKey,
  };
  return { status: 201, body: { ...appView(app), ...secrets } };
}

/** `organization` is one that exists or a new one; a new one has credentials for identity unless `kyc` is false. */
function parseOrganization(
  sandbox: Sandbox,
  fields: Fields,
  drawn: ReturnType<typeof newCredentials>,
): OrganizationInput | undefined {
  const name = fields.optionalText('organization', LIMITS.nameLength);
  const kyc = fields.take('kyc');
  if (kyc !== undefined && typeof kyc !== 'boolean') fields.problem('kyc', 'Must be true or false.');
  const isNew = name !== undefined && findOrganizationByName(sandbox.world, name) === undefined;
  if (kyc !== undefined && !isNew) fields.problem('kyc', 'Goes with a new organization; name one.');
  if (name === undefined) return undefined;
  return kyc === false
    ? { name, kycToken: null, publishableKey: null }
    : { name, kycToken: drawn.kycToken, publishableKey: drawn.kycPublishableKey };
}

function readyz(facts: ServerFacts): Answer {
  return ok({ ready: true, version: facts.version, instance_id: facts.instanceId });
}

function reset({ sandbox, fields }: ControlRequest): Answer {
  noMoreFields(fields);
  sandbox.reset();
  return ok({ reset: true, clock: clockView(sandbox) });
}

/** What the sandbox says of itself, and what sets it up. */
export function systemRoutes(facts: ServerFacts): readonly ControlRoute[] {
  return [
    { method: 'GET', path: 'livez', handle: () => ok({ live: true }) },
    { method: 'GET', path: 'readyz', handle: () => readyz(facts) },
    { method: 'GET', path: 'status', handle: ({ sandbox }) => ok(statusView(sandbox, facts)) },
    { method: 'GET', path: 'env', handle: () => ok(facts.env()) },
    {
      method: 'GET',
      path: 'assumptions',
      handle: ({ sandbox }) => ok({ data: assumptionRegister(sandbox.world.assumed) }),
    },
    { method: 'GET', path: 'state', handle: ({ sandbox }) => ok(exportWorld(sandbox.world)) },
    {
      method: 'GET',
      path: 'endpoints',
      handle: ({ sandbox }) => ok({ data: [...sandbox.world.endpoints.values()].map(endpointView) }),
    },
    { method: 'POST', path: 'endpoints', handle: createEndpoint },
    { method: 'DELETE', path: 'endpoints/:id', handle: deleteEndpoint },
    { method: 'POST', path: 'endpoints/:id/disable', handle: switchEndpoint('endpoint.disable') },
    { method: 'POST', path: 'endpoints/:id/enable', handle: switchEndpoint('endpoint.enable') },
    {
      method: 'GET',
      path: 'apps',
      handle: ({ sandbox }) => ok({ data: sandbox.world.apps.rows.map(appView) }),
    },
    { method: 'POST', path: 'apps', handle: createApp },
    { method: 'POST', path: 'reset', handle: reset },
  ];
}

import * as is from '../../core/resources/values.js';
import * as service from '../../core/resources/resources.js';
import { LIMITS, RETRY_SCHEDULES } from '../../contract/limits.js';
import { formatAmount } from '../../contract/money.js';
import { Refusal } from '../../contract/refusals.js';
import { SCOPES } from '../../contract/enums.js';
import {
  accountsOf,
  appOrDefault,
  findOrganizationByName,
  type OrganizationInput,
  organizationOf,
} from '../../core/identity/applications.js';
import { body as bodyOf, ENDPOINT } from '../../core/input/bodies.js';
import { AMOUNT, choices, NAME, text, type TextForm, UUID } from '../../core/input/kinds.js';
import { lookUp, lookUpWhole } from '../../core/named-rows.js';
import { presentEndpoint } from '../../core/resources/serialize.js';
import type { App, Endpoint, Account, World } from '../../core/world.js';
import { newCredentials, newWebhookSecret } from '../../sandbox/credentials.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { named, nullish, nullable } from '../../schema/object.js';
import type { Infer } from '../../schema/schema.js';
import { flag, described, oneOf, keyOf } from '../../schema/values.js';
import { allowedUrl } from '../operation/allowed-url.js';
import type { Answer } from '../operation/answer.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok, route, appFilter, OF_APP } from './control.js';
import { OPTIONAL_TEXT, BALANCE } from './schema.js';

export const ENDPOINT_VIEW = is.resource('Endpoint', 'A webhook endpoint or a listener.', {
  ...service.ENDPOINT.fields,
  app_id: is.UUID,
  transport: oneOf(['http', 'listener']),
  connected: nullable(is.BOOLEAN),
  retries: keyOf(RETRY_SCHEDULES),
  timeout_ms: is.COUNT,
  deliveries: is.COUNT,
});
export type EndpointView = Infer<typeof ENDPOINT_VIEW>;

export const ENDPOINT_WITH_SECRET = is.resource(
  'EndpointWithSecret',
  'An endpoint with its signing secret.',
  { ...ENDPOINT_VIEW.fields, secret: service.SECRET },
);

export const ACCOUNT = is.resource('Account', 'An account of an application, with its balance.', {
  id: is.UUID,
  app_id: is.UUID,
  balance: BALANCE,
});
export type AccountView = Infer<typeof ACCOUNT>;

export const APP = is.resource('App', 'An application of the public API.', {
  id: is.UUID,
  organization_id: is.UUID,
  name: is.TEXT,
  scopes: is.listOf(oneOf(SCOPES)),
  account_id: described('Its first account, which payments use that name none.', is.UUID),
  account_ids: is.listOf(is.UUID),
  token: is.TEXT,
});
export type AppView = Infer<typeof APP>;

export const APP_WITH_SECRETS = is.resource(
  'AppWithSecrets',
  'An application with its secrets, which are shown only here.',
  {
    ...APP.fields,
    signing_secret: is.TEXT,
    kyc_token: described('Only of a new organization.', OPTIONAL_TEXT),
    kyc_publishable_key: described('Only of a new organization.', OPTIONAL_TEXT),
  },
);

export type AppWithSecrets = Infer<typeof APP_WITH_SECRETS>;

export function endpointView(endpoint: Endpoint): EndpointView {
  return {
    ...presentEndpoint(endpoint),
    app_id: endpoint.appId,
    transport: endpoint.transport,
    connected: endpoint.transport === 'listener' ? endpoint.connected : null,
    retries: endpoint.schedule,
    timeout_ms: endpoint.timeoutMs,
    deliveries: endpoint.deliveries.length,
  };
}

export function appView(world: World, app: App): AppView {
  return {
    id: app.id,
    organization_id: app.organizationId,
    name: app.name,
    scopes: app.scopes,
    account_id: app.accountId,
    account_ids: accountsOf(world, app).map(({ id }) => id),
    token: app.token,
  };
}

export function accountView({ id, appId, balanceCents }: Account): AccountView {
  return { id, app_id: appId, balance: formatAmount(balanceCents) };
}

const TOKEN: TextForm = {
  // It must fit into an Authorization header.
  pattern: /^[!-~]+$/,
  problem: () => 'Must be printable ASCII without space.',
};

/** `organization` names an existing or a new one; a new one has identity credentials unless `kyc` is false. */
const NEW_APP = bodyOf({
  name: nullish(NAME),
  scopes: nullish(choices(SCOPES, 0), SCOPES),
  token: nullish(text(LIMITS.nameLength, TOKEN)),
  signingSecret: named('signing_secret', nullish(NAME)),
  accountId: named('account_id', nullish(UUID)),
  openingBalanceCents: named('opening_balance', nullish(AMOUNT, 0)),
  organization: nullish(NAME),
  kyc: nullish(flag),
});

const NEW_ACCOUNT = bodyOf({
  accountId: named('account_id', nullish(UUID)),
  openingBalanceCents: named('opening_balance', nullish(AMOUNT, 0)),
});

type NewApp = Infer<typeof NEW_APP>;

function createApp({ sandbox, body }: ControlRequest<NewApp>): Answer {
  const drawn = newCredentials(sandbox.epoch.drawBytes);
  const { scopes, accountId, openingBalanceCents } = body;
  const known = sandbox.world.organizations.rows.length;
  const app: App = sandbox.dispatch({
    type: 'app.create',
    name: body.name ?? `app-${sandbox.world.apps.rows.length + 1}`,
    scopes,
    token: body.token ?? drawn.token,
    signingSecret: body.signingSecret ?? drawn.signingSecret,
    accountId,
    openingBalanceCents,
    organization: organizationFor(sandbox, body, drawn),
  });
  const { kycToken, publishableKey } = organizationOf(sandbox.world, app.id);
  const isNew = sandbox.world.organizations.rows.length > known;
  const secrets = {
    signing_secret: app.signingSecret,
    kyc_token: isNew ? kycToken : null,
    kyc_publishable_key: isNew ? publishableKey : null,
  };
  return { status: 201, body: { ...appView(sandbox.world, app), ...secrets } };
}

function organizationFor(
  { world }: Sandbox,
  { organization: name, kyc }: NewApp,
  drawn: ReturnType<typeof newCredentials>,
): OrganizationInput | undefined {
  const isNew = name !== undefined && findOrganizationByName(world, name) === undefined;
  if (kyc !== undefined && !isNew) {
    throw new Refusal('INVALID_REQUEST', 'Not valid: kyc.', {
      details: [{ field: 'kyc', message: 'Goes with a new organization; name one.' }],
    });
  }
  if (name === undefined) return undefined;
  return kyc === false
    ? { name, kycToken: null, publishableKey: null }
    : { name, kycToken: drawn.kycToken, publishableKey: drawn.kycPublishableKey };
}

function switchEndpoint(move: 'disable' | 'enable'): ControlRoute {
  const type = `endpoint.${move}` as const;
  return route('POST', `endpoints/:id/${move}`, {}, ({ sandbox, param }) => {
    const { id } = lookUp(sandbox.world, 'endpoint', param('id'));
    return ok(endpointView(sandbox.dispatch({ type, endpointId: id })));
  });
}

/** Only the answers that make a secret show it. */
function withSecret(endpoint: Endpoint): object {
  return { ...endpointView(endpoint), secret: endpoint.secret };
}

export const APP_ROUTES: readonly ControlRoute[] = [
  route('GET', 'endpoints', { query: OF_APP }, ({ sandbox, query }) => {
    const { world } = sandbox;
    const endpoints = [...world.endpoints.values()];
    const app = appFilter(world, query.app);
    const own = app === undefined ? endpoints : endpoints.filter(({ appId }) => appId === app.id);
    return ok({ data: own.map(endpointView) });
  }),
  route('POST', 'endpoints', { query: OF_APP, body: ENDPOINT }, async ({ sandbox, body, query, because }) => {
    const url = await allowedUrl(sandbox, body.url);
    const endpoint = because(() =>
      sandbox.dispatch({
        type: 'endpoint.create',
        appId: appOrDefault(sandbox.world, query.app).id,
        endpoint: { ...body, url, secret: newWebhookSecret(sandbox.epoch.drawBytes) },
      }),
    );
    return { status: 201, body: withSecret(endpoint) };
  }),
  route('DELETE', 'endpoints/:id', {}, ({ sandbox, param }) => {
    const { id } = lookUpWhole(sandbox.world, 'endpoint', param('id'));
    sandbox.dispatch({ type: 'endpoint.delete', endpointId: id });
    return ok({ deleted: id });
  }),
  route('POST', 'endpoints/:id/rotate-secret', {}, ({ sandbox, param }) => {
    const { id: endpointId } = lookUp(sandbox.world, 'endpoint', param('id'));
    const secret = newWebhookSecret(sandbox.epoch.drawBytes);
    return ok(withSecret(sandbox.dispatch({ type: 'endpoint.rotate', endpointId, secret })));
  }),
  switchEndpoint('disable'),
  switchEndpoint('enable'),
  route('GET', 'apps', {}, ({ sandbox }) =>
    ok({ data: sandbox.world.apps.rows.map((app) => appView(sandbox.world, app)) }),
  ),
  route('POST', 'apps', { body: NEW_APP }, createApp),
  route('POST', 'apps/:id/accounts', { body: NEW_ACCOUNT }, ({ sandbox, param, body }) => ({
    status: 201,
    body: accountView(sandbox.dispatch({ type: 'account.create', appId: param('id'), ...body })),
  })),
];

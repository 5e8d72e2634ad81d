import { assumptionRegister } from '../../contract/assumption-register.js';
import { lookUp, lookUpWhole } from '../../core/named-rows.js';
import { ENDPOINT } from '../../core/input/bodies.js';
import { body as bodyOf } from '../../core/input/body.js';
import { choices } from '../../core/input/kinds.js';
import { LIMITS } from '../../contract/limits.js';
import { appOrDefault, organizationOf } from '../../core/identity/applications.js';
import type { OrganizationInput } from '../../core/identity/organizations.js';
import { findOrganizationByName } from '../../core/identity/organizations.js';
import { Refusal } from '../../contract/refusals.js';
import type { TextForm } from '../../core/input/text-kinds.js';
import { AMOUNT, NAME, text, UUID } from '../../core/input/text-kinds.js';
import type { App, Endpoint } from '../../core/world.js';
import { SCOPES } from '../../contract/scopes.js';
import { newCredentials, newWebhookSecret } from '../../sandbox/credentials.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { named, nullish } from '../../schema/fields.js';
import type { Infer } from '../../schema/schema.js';
import { flag } from '../../schema/values.js';
import type { Answer } from '../operation/answer.js';
import { allowedUrl } from '../operation/allowed-url.js';
import type { ControlRequest, ControlRoute } from './control.js';
import { ok, route } from './control.js';
import { ownTurn } from './own-turn.js';
import { appFilter, OF_APP } from './of-app.js';
import { accountView, appView, endpointView } from './views.js';
import type { ServerFacts } from './status-view.js';
import { statusView } from './status-view.js';

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
  const drawn = newCredentials(sandbox.drawBytes);
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

/** Routes for the status of the sandbox. */
function statusRoutes(facts: ServerFacts): readonly ControlRoute[] {
  return [
    route('GET', 'livez', {}, () => ok({ live: true })),
    route('GET', 'readyz', {}, () =>
      ok({ ready: true, version: facts.version, instance_id: facts.instanceId }),
    ),
    route('GET', 'status', {}, async ({ sandbox }) => {
      await ownTurn();
      return ok(statusView(sandbox, facts));
    }),
    route('GET', 'env', {}, () => ok(facts.env())),
    route('GET', 'assumptions', {}, ({ sandbox }) => ok({ data: assumptionRegister(sandbox.world.assumed) })),
  ];
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

const SETUP_ROUTES: readonly ControlRoute[] = [
  route('GET', 'endpoints', { query: OF_APP }, async ({ sandbox, query }) => {
    await ownTurn();
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
        endpoint: { ...body, url, secret: newWebhookSecret(sandbox.drawBytes) },
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
    const secret = newWebhookSecret(sandbox.drawBytes);
    return ok(withSecret(sandbox.dispatch({ type: 'endpoint.rotate', endpointId, secret })));
  }),
  switchEndpoint('disable'),
  switchEndpoint('enable'),
  route('GET', 'apps', {}, async ({ sandbox }) => {
    await ownTurn();
    return ok({ data: sandbox.world.apps.rows.map((app) => appView(sandbox.world, app)) });
  }),
  route('POST', 'apps', { body: NEW_APP }, createApp),
  route('POST', 'apps/:id/accounts', { body: NEW_ACCOUNT }, ({ sandbox, param, body }) => ({
    status: 201,
    body: accountView(sandbox.dispatch({ type: 'account.create', appId: param('id'), ...body })),
  })),
];

/** Routes for the status of the sandbox and its setup. */
export function systemRoutes(facts: ServerFacts): readonly ControlRoute[] {
  return [...statusRoutes(facts), ...SETUP_ROUTES];
}

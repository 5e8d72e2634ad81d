import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { formatAmount } from '../../contract/money.js';
import { CUSTOMER_TYPES, FAILURE_REASON_CODES, type FailureReason, SCOPES } from '../../contract/enums.js';
import {
  CHARGE_STATUSES,
  moveNames,
  moveOf,
  type PaymentKind,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import { moveCommand } from '../../core/apply.js';
import {
  appOrDefault,
  findOrganizationByName,
  type OrganizationInput,
  organizationOf,
  registeredOrigins,
} from '../../core/identity/applications.js';
import { sessionResult } from '../../core/identity/sessions.js';
import { body as bodyOf, DECISION, ENDPOINT, invalid, paymentFields } from '../../core/input/bodies.js';
import { AMOUNT, choices, NAME, text, type TextForm, UUID } from '../../core/input/kinds.js';
import { lookUp, lookUpWhole } from '../../core/named-rows.js';
import { page, PAGE_FIELDS } from '../../core/page.js';
import { draftOf } from '../../core/payments/payments.js';
import { accountProblems, type LedgerEntry, ledgerOf, POSTINGS } from '../../core/payments/ledger.js';
import { type DrawQr, presentTransaction } from '../../core/resources/serialize.js';
import type { App, Charge, Endpoint, IdentitySession, World } from '../../core/world.js';
import { newCredentials, newWebhookSecret } from '../../sandbox/credentials.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { list } from '../../schema/compound.js';
import { named, nullable, nullish, optional } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import { described, flag, oneOf } from '../../schema/values.js';
import { allowedUrl } from '../operation/allowed-url.js';
import { pageView } from '../operation/answer.js';
import { payPath } from '../operation/targets.js';
import { NAMED_RESOURCE } from './exchanges.js';
import { appFilter, type ControlRequest, del, get, listKey, listRoute, OF_APP, post } from './route.js';
import * as view from './schema.js';
import type { ServerFacts } from './system.js';

const TOKEN: TextForm = {
  // It must fit into an Authorization header.
  pattern: /^[!-~]+$/,
  problem: () => 'Must be printable ASCII without space.',
};

export const NEW_ACCOUNT = bodyOf({
  accountId: named('account_id', nullish(UUID)),
  openingBalanceCents: named('opening_balance', nullish(AMOUNT, 0)),
});

/** `organization` names an existing or a new one; a new one has identity credentials unless `kyc` is false. */
export const NEW_APP = bodyOf({
  name: nullish(NAME),
  scopes: nullish(choices(SCOPES, 0), SCOPES),
  token: nullish(text(LIMITS.nameLength, TOKEN)),
  signingSecret: named('signing_secret', nullish(NAME)),
  ...NEW_ACCOUNT.fields,
  organization: nullish(NAME),
  kyc: nullish(flag),
});

function createApp({ sandbox, body }: ControlRequest<Infer<typeof NEW_APP>>): view.AppWithSecrets {
  const { world } = sandbox;
  const { kyc, name, organization, token, signingSecret, ...account } = body;
  const isNew = organization !== undefined && findOrganizationByName(world, organization) === undefined;
  if (kyc !== undefined && !isNew) {
    throw invalid('Not valid', [{ field: 'kyc', message: 'Goes with a new organization; name one.' }]);
  }
  const drawn = newCredentials(sandbox.epoch.drawBytes);
  const input = (of: string): OrganizationInput =>
    kyc === false
      ? { name: of, kycToken: null, publishableKey: null }
      : { name: of, kycToken: drawn.kycToken, publishableKey: drawn.kycPublishableKey };
  const app: App = sandbox.dispatch({
    type: 'app.create',
    ...account,
    name: name ?? `app-${world.apps.rows.length + 1}`,
    token: token ?? drawn.token,
    signingSecret: signingSecret ?? drawn.signingSecret,
    organization: organization === undefined ? undefined : input(organization),
  });
  const { kycToken, publishableKey } = organizationOf(sandbox.world, app.id);
  return {
    ...view.appView(sandbox.world, app),
    signing_secret: app.signingSecret,
    kyc_token: isNew ? kycToken : null,
    kyc_publishable_key: isNew ? publishableKey : null,
  };
}

const ORIGINS = { organization_id: is.UUID, origins: is.listOf(is.TEXT) };

const APP_ROUTES = [
  get('apps', 'List the applications.', { data: list(view.APP) })(({ sandbox: { world } }) => ({
    data: world.apps.rows.map((app) => view.appView(world, app)),
  })),
  post('apps', 'Create an application.', view.APP_WITH_SECRETS, { body: NEW_APP, status: 201 })(createApp),
  post('apps/:id/accounts', 'Open a further account.', view.ACCOUNT, { body: NEW_ACCOUNT, status: 201 })(
    ({ sandbox, param, body }) =>
      view.accountView(sandbox.dispatch({ type: 'account.create', appId: param('id'), ...body })),
  ),
  post('apps/:id/origins', 'Register an origin for the identity pages.', ORIGINS, {
    body: { origin: text(LIMITS.urlLength) },
    status: 201,
  })(({ sandbox, row, body }) => {
    const { id } = sandbox.dispatch({ type: 'origin.add', appId: row('app').id, ...body });
    return { organization_id: id, origins: registeredOrigins(sandbox.world, id) };
  }),
];

/** Only the responses that make a secret show it. */
function withSecret(endpoint: Endpoint) {
  return { ...view.endpointView(endpoint), secret: endpoint.secret };
}

const switchEndpoint =
  (type: 'endpoint.disable' | 'endpoint.enable') =>
  ({ sandbox, row }: ControlRequest) =>
    view.endpointView(sandbox.dispatch({ type, endpointId: row('endpoint').id }));

const ENDPOINT_ROUTES = [
  get(
    'endpoints',
    'List endpoints and listeners.',
    { data: list(view.ENDPOINT_VIEW) },
    { query: OF_APP },
  )(({ sandbox: { world }, query }) => {
    const app = appFilter(world, query.app);
    const own = [...world.endpoints.values()].filter(({ appId }) => app === undefined || appId === app.id);
    return { data: own.map(view.endpointView) };
  }),
  post('endpoints', 'Register an endpoint.', view.ENDPOINT_WITH_SECRET, {
    query: OF_APP,
    body: ENDPOINT,
    status: 201,
    errors: [
      'INSUFFICIENT_SCOPE',
      'ENDPOINT_ALREADY_EXISTS',
      'ENDPOINT_LIMIT_REACHED',
      'ENDPOINT_URL_NOT_ALLOWED',
    ],
  })(async ({ sandbox, body, query, because }) => {
    const url = await allowedUrl(sandbox, body.url);
    return because(() => {
      const endpoint = { ...body, url, secret: newWebhookSecret(sandbox.epoch.drawBytes) };
      const appId = appOrDefault(sandbox.world, query.app).id;
      return withSecret(sandbox.dispatch({ type: 'endpoint.create', appId, endpoint }));
    });
  }),
  del('endpoints/:id', 'Delete an endpoint.', { deleted: is.UUID })(({ sandbox, param }) => {
    const { id } = lookUpWhole(sandbox.world, 'endpoint', param('id'));
    sandbox.dispatch({ type: 'endpoint.delete', endpointId: id });
    return { deleted: id };
  }),
  post(
    'endpoints/:id/rotate-secret',
    'Give an endpoint a new secret; for 24 hours the old one signs, too.',
    view.ENDPOINT_WITH_SECRET,
  )(({ sandbox, row }) => {
    const secret = newWebhookSecret(sandbox.epoch.drawBytes);
    return withSecret(sandbox.dispatch({ type: 'endpoint.rotate', endpointId: row('endpoint').id, secret }));
  }),
  post(
    'endpoints/:id/disable',
    'Disable an endpoint.',
    view.ENDPOINT_VIEW,
  )(switchEndpoint('endpoint.disable')),
  post('endpoints/:id/enable', 'Enable an endpoint.', view.ENDPOINT_VIEW, {
    errors: ['ENDPOINT_ALREADY_EXISTS'],
  })(switchEndpoint('endpoint.enable')),
];

/** The bank's reason for refusing, by SPI code. */
const FAILURE = { reason: nullish(oneOf(FAILURE_REASON_CODES)) };
const CREATION = { query: OF_APP, status: 201, repeats: true, errors: ['CODE_REUSED'] } as const;

/** The moves of charges or of withdrawals, each of which a person may ask for. */
function moveRoutes<const Of extends PaymentKind, View>(
  kind: Of,
  gives: Schema<View, unknown>,
  present: (row: ReturnType<typeof lookUp<Of>>) => View,
) {
  return moveNames(kind).map((name) => {
    const { label, hasReason } = moveOf(kind, name);
    return post(`${kind}s/:id/${name}`, `Move a ${kind}: ${label}.`, gives, {
      query: OF_APP,
      body: hasReason ? FAILURE : {},
      errors: ['INVALID_TRANSITION'],
    } as const)(({ sandbox, row, body }) => {
      const payment = row(kind);
      const { reason } = body as { reason?: FailureReason };
      sandbox.dispatch(moveCommand(kind, name, payment.id, reason));
      return present(payment);
    });
  });
}

function chargeDetail(charge: Charge, { url, isExposed = false }: ServerFacts, drawQr?: DrawQr) {
  return { ...view.chargeView(charge, drawQr), pay_url: url() + payPath(charge.id, isExposed) };
}

/** The payer's side of charges. */
const chargeRoutes = (facts: ServerFacts) => [
  listRoute(
    'charges',
    'List the charges of all applications, or of one.',
    view.CHARGE_VIEW,
    CHARGE_STATUSES,
    ({ charges }) => charges.rows,
    (charge) => view.chargeView(charge),
  ),
  post('charges', 'Create a charge; what is left out is chosen.', view.CHARGE_DETAIL, {
    ...CREATION,
    body: paymentFields('charge'),
  })((request) => {
    const { sandbox, body, query } = request;
    const app = appOrDefault(sandbox.world, query.app);
    // No payer is invented, so that an application which posts the same code and amount gets the charge.
    const draft = draftOf('charge', app, body, 'empty');
    const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: draft });
    request.status = created ? 201 : 200;
    return chargeDetail(charge, facts);
  }),
  get('charges/:id', 'Get a charge by its id or code.', view.CHARGE_DETAIL, { query: OF_APP })(
    ({ sandbox, row }) => chargeDetail(row('charge'), facts, sandbox.drawQr),
  ),
  ...moveRoutes('charge', view.CHARGE_VIEW, (charge: Charge) => view.chargeView(charge)),
];

/** The bank's side of withdrawals. */
const WITHDRAWAL_ROUTES = [
  listRoute(
    'withdrawals',
    'List the withdrawals of all applications, or of one.',
    view.WITHDRAWAL_VIEW,
    WITHDRAWAL_STATUSES,
    ({ withdrawals }) => withdrawals.rows,
    view.withdrawalView,
  ),
  post('withdrawals', 'Create a withdrawal; what is left out is chosen.', view.WITHDRAWAL_VIEW, {
    ...CREATION,
    body: paymentFields('withdrawal'),
    errors: ['CODE_REUSED', 'INSUFFICIENT_BALANCE'],
  })((request) => {
    const { sandbox, body, query } = request;
    const app = appOrDefault(sandbox.world, query.app);
    const draft = draftOf('withdrawal', app, body);
    const made = sandbox.dispatch({ type: 'withdrawal.create', appId: app.id, withdrawal: draft });
    request.status = made.created ? 201 : 200;
    return view.withdrawalView(made.withdrawal);
  }),
  get('withdrawals/:id', 'Get a withdrawal by its id or code.', view.WITHDRAWAL_VIEW, { query: OF_APP })(
    ({ row }) => view.withdrawalView(row('withdrawal')),
  ),
  ...moveRoutes('withdrawal', view.WITHDRAWAL_VIEW, view.withdrawalView),
];

export const LEDGER_ENTRY = is.resource(
  'LedgerEntry',
  'A transaction with what it belongs to, and the balance of its account after it.',
  {
    ...service.TRANSACTION.fields,
    account_id: is.UUID,
    balance: view.BALANCE,
    what: described('Null where nothing explains it.', nullable(oneOf(POSTINGS))),
    resource: nullable(NAMED_RESOURCE),
  },
);
export type LedgerEntryView = Infer<typeof LEDGER_ENTRY>;

export const LEDGER = is.resource(
  'Ledger',
  'A page of the ledger, newest first, and what is wrong with the whole.',
  { ...is.pageOf(LEDGER_ENTRY).fields, problems: is.listOf(is.TEXT) },
);

function entryView(
  world: World,
  { what, resource, account, transaction, balanceCents }: LedgerEntry,
): LedgerEntryView {
  const type = what === 'charge' || what === 'fee' ? 'pix' : 'withdrawal';
  return {
    ...presentTransaction(world, transaction),
    account_id: account.id,
    balance: formatAmount(balanceCents),
    what,
    resource: resource === null ? null : { type, id: resource.id, code: resource.code },
  };
}

const LEDGER_ROUTE = get(
  'ledger',
  'List the transactions of an account or of all, each with the balance after it.',
  LEDGER,
  {
    query: { account: optional(NAME), ...PAGE_FIELDS },
    errors: ['NOT_FOUND'],
    description:
      'Each transaction names the charge or withdrawal that it belongs to. `problems` is about the whole ' +
      'ledger, whatever the page: sums, missing or surplus transactions, and balances below zero.',
  },
)(({ sandbox: { world }, query: { account: idOrNone, ...paging } }) => {
  const account = idOrNone === undefined ? undefined : lookUp(world, 'account', idOrNone);
  const ledgers = (account === undefined ? [...world.accounts.values()] : [account]).map((one) => {
    const ledger = ledgerOf(world, one);
    return { ledger, problems: accountProblems(one, ledger) };
  });
  const entries = ledgers.flatMap(({ ledger }) => ledger.entries);
  if (ledgers.length > 1) entries.sort((one, other) => one.ordinal - other.ordinal);
  const found = page(world, entries, listKey('ledger', { account: account?.id }), paging);
  const problems = ledgers.flatMap((one) => one.problems);
  return { ...pageView(found, (entry) => entryView(world, entry)), problems };
});

export const SESSION_RESULT = is.resource('SessionResult', 'What the partner’s server would read now.', {
  ...service.SESSION_RESULT.fields,
  euid: nullable(is.EUID),
});
export type SessionResult = Infer<typeof SESSION_RESULT>;

/** The tester's side of identity verification. `hostedUrl` is the origin of the hosted pages. */
function identityRoutes(hostedUrl: () => string) {
  const shown = (session: IdentitySession, sandbox: Sandbox) =>
    view.sessionView(sandbox, session, hostedUrl());
  return [
    listRoute(
      'kyc/sessions',
      'List the sessions.',
      view.SESSION,
      SESSION_STATUSES,
      ({ sessions }) => sessions.rows,
      shown,
      (session, app) => session.organizationId === app.organizationId,
    ),
    post('kyc/sessions', 'Create a session.', view.SESSION, {
      query: OF_APP,
      body: { customerType: named('customer_type', nullish(oneOf(CUSTOMER_TYPES), 'individual' as const)) },
      status: 201,
      errors: ['SERVICE_UNAVAILABLE'],
    })(({ sandbox, body, query }) => {
      const { session } = sandbox.dispatch({
        type: 'session.create',
        organizationId: organizationOf(sandbox.world, query.app).id,
        ...body,
        idempotencyKey: null,
        ...sandbox.epoch.newSessionSecrets(),
      });
      return shown(session, sandbox);
    }),
    get(
      'kyc/sessions/:id',
      'Get a session by its id or the beginning of it.',
      view.SESSION,
    )(({ sandbox, row }) => shown(row('session'), sandbox)),
    // Result for the partner's server at this time (§4.11), without an entry in the request log.
    get('kyc/sessions/:id/result', 'Get what the partner’s server would read now.', SESSION_RESULT, {
      errors: ['NOT_TERMINAL', 'SESSION_EXPIRED'],
    })(({ sandbox: { world, clock }, row }) => sessionResult(world, row('session').id, clock.now())),
    post('kyc/sessions/:id/decide', 'Decide a session.', view.SESSION, {
      body: DECISION,
      errors: ['INVALID_TRANSITION'],
    })(({ sandbox, row, body }) =>
      shown(sandbox.dispatch({ type: 'session.decide', sessionId: row('session').id, ...body }), sandbox),
    ),
  ];
}

/** Applications, endpoints, payments, the ledger and sessions. */
export const resourceRoutes = (facts: ServerFacts) => [
  ...APP_ROUTES,
  ...ENDPOINT_ROUTES,
  ...chargeRoutes(facts),
  ...WITHDRAWAL_ROUTES,
  LEDGER_ROUTE,
  ...identityRoutes(facts.url),
];

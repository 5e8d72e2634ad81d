import * as service from '../../core/resources/resources.js';
import * as is from '../../core/resources/values.js';
import { LIMITS } from '../../contract/limits.js';
import { formatAmount } from '../../contract/money.js';
import { CUSTOMER_TYPES, FAILURE_REASON_CODES, type FailureReason, SCOPES } from '../../contract/enums.js';
import {
  CHARGE_STATUSES,
  listMoveNames,
  getMove,
  type PaymentKind,
  SESSION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../../contract/transitions.js';
import { moveCommand } from '../../core/apply.js';
import {
  findAppOrDefault,
  findOrganizationByName,
  type OrganizationInput,
  findOrganization,
  listOrigins,
} from '../../core/identity/applications.js';
import { readSessionResult } from '../../core/identity/sessions.js';
import {
  createBodySchema as bodyOf,
  DECISION_BODY,
  ENDPOINT_BODY,
  createInvalidRequest,
  createPaymentSchemas,
} from '../../core/input/bodies.js';
import {
  AMOUNT_INPUT,
  acceptChoices,
  NAME_INPUT,
  acceptText,
  type TextForm,
  UUID_INPUT,
} from '../../core/input/kinds.js';
import { requireRow, requireRowByFullId } from '../../core/named-rows.js';
import { paginate, PAGE_FIELDS } from '../../core/page.js';
import { createPaymentDraft } from '../../core/payments/payments.js';
import {
  findAccountProblems,
  type LedgerEntry,
  readLedger,
  LEDGER_POSTINGS,
} from '../../core/payments/ledger.js';
import { type QrRenderer, presentTransaction } from '../../core/resources/serialize.js';
import type { App, Charge, Endpoint, IdentitySession, World } from '../../core/world.js';
import { createCredentials, createWebhookSecret } from '../../sandbox/credentials.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { array } from '../../schema/compound.js';
import { renameField, nullable, nullish, optional } from '../../schema/object.js';
import type { Infer, Schema } from '../../schema/schema.js';
import { withDoc, boolean, enumOf } from '../../schema/values.js';
import { checkEndpointUrl } from '../shared/endpoint-url.js';
import { presentPageView } from '../shared/response.js';
import { createPayPath } from '../shared/surface.js';
import { NAMED_RESOURCE } from './exchanges.js';
import {
  findAppFilter,
  type ControlRequest,
  defineDelete,
  defineGet,
  createListKey,
  createListRoute,
  APP_QUERY,
  definePost,
} from './route.js';
import * as view from './schema.js';
import type { ServerFacts } from './system.js';

const TOKEN: TextForm = {
  // The token must be valid in an Authorization header.
  pattern: /^[!-~]+$/,
  problem: () => 'Must be printable ASCII without spaces.',
};

export const NEW_ACCOUNT = bodyOf({
  accountId: renameField('account_id', nullish(UUID_INPUT)),
  openingBalanceCents: renameField('opening_balance', nullish(AMOUNT_INPUT, 0)),
});

/** `organization` can name a new organization, which gets identity credentials unless `kyc` is false. */
export const NEW_APP = bodyOf({
  name: nullish(NAME_INPUT),
  scopes: nullish(acceptChoices(SCOPES, 0), SCOPES),
  token: nullish(acceptText(LIMITS.nameLength, TOKEN)),
  signingSecret: renameField('signing_secret', nullish(NAME_INPUT)),
  ...NEW_ACCOUNT.fields,
  organization: nullish(NAME_INPUT),
  kyc: nullish(boolean),
});

function createApp({ sandbox, body }: ControlRequest<Infer<typeof NEW_APP>>): view.AppWithSecrets {
  const { world } = sandbox;
  const { kyc, name, organization, token, signingSecret, ...account } = body;
  const isNew = organization !== undefined && findOrganizationByName(world, organization) === undefined;
  if (kyc !== undefined && !isNew) {
    throw createInvalidRequest('Invalid fields', [
      { field: 'kyc', message: 'Is allowed only if organization names a new organization.' },
    ]);
  }
  const drawn = createCredentials(sandbox.epoch.drawBytes);
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
  return view.presentAppWithSecrets(sandbox.world, app, isNew);
}

const ORIGINS = { organization_id: is.UUID, origins: is.arrayOf(is.TEXT) };

const APP_ROUTES = [
  defineGet('apps', 'List the applications.', { data: array(view.APP_VIEW) })(({ sandbox: { world } }) => ({
    data: world.apps.rows.map((app) => view.presentApp(world, app)),
  })),
  defineGet(
    'credentials',
    'Get the credentials of every application and endpoint.',
    view.CREDENTIALS,
  )(({ sandbox: { world } }) => view.presentCredentials(world)),
  definePost('apps', 'Create an application.', view.APP_WITH_SECRETS, { body: NEW_APP, status: 201 })(
    createApp,
  ),
  definePost('apps/:id/accounts', 'Create an additional account.', view.ACCOUNT_VIEW, {
    body: NEW_ACCOUNT,
    status: 201,
  })(({ sandbox, param, body }) =>
    view.presentAccount(sandbox.dispatch({ type: 'account.create', appId: param('id'), ...body })),
  ),
  definePost('apps/:id/origins', 'Register an origin for the identity pages.', ORIGINS, {
    body: { origin: acceptText(LIMITS.urlLength) },
    status: 201,
  })(({ sandbox, row, body }) => {
    const { id } = sandbox.dispatch({ type: 'origin.add', appId: row('app').id, ...body });
    return { organization_id: id, origins: listOrigins(sandbox.world, id) };
  }),
];

/** Adds the secret to the response of a creation or rotation. */
function withSecret(endpoint: Endpoint) {
  return { ...view.presentEndpointView(endpoint), secret: endpoint.secret };
}

const switchEndpoint =
  (type: 'endpoint.disable' | 'endpoint.enable') =>
  ({ sandbox, row }: ControlRequest) =>
    view.presentEndpointView(sandbox.dispatch({ type, endpointId: row('endpoint').id }));

const ENDPOINT_ROUTES = [
  defineGet(
    'endpoints',
    'List endpoints and listeners.',
    { data: array(view.ENDPOINT_VIEW) },
    { query: APP_QUERY },
  )(({ sandbox: { world }, query }) => {
    const app = findAppFilter(world, query.app);
    const own = [...world.endpoints.values()].filter(({ appId }) => app === undefined || appId === app.id);
    return { data: own.map(view.presentEndpointView) };
  }),
  definePost('endpoints', 'Register an endpoint.', view.ENDPOINT_VIEW_WITH_SECRET, {
    query: APP_QUERY,
    body: ENDPOINT_BODY,
    status: 201,
    errors: [
      'INSUFFICIENT_SCOPE',
      'ENDPOINT_ALREADY_EXISTS',
      'ENDPOINT_LIMIT_REACHED',
      'ENDPOINT_URL_NOT_ALLOWED',
    ],
  })(async ({ sandbox, body, query, withCause }) => {
    const url = await checkEndpointUrl(sandbox, body.url);
    return withCause(() => {
      const endpoint = { ...body, url, secret: createWebhookSecret(sandbox.epoch.drawBytes) };
      const appId = findAppOrDefault(sandbox.world, query.app).id;
      return withSecret(sandbox.dispatch({ type: 'endpoint.create', appId, endpoint }));
    });
  }),
  defineDelete('endpoints/:id', 'Delete an endpoint.', { deleted: is.UUID })(({ sandbox, param }) => {
    const { id } = requireRowByFullId(sandbox.world, 'endpoint', param('id'));
    sandbox.dispatch({ type: 'endpoint.delete', endpointId: id });
    return { deleted: id };
  }),
  definePost(
    'endpoints/:id/rotate-secret',
    'Rotate an endpoint’s secret. Deliveries are also signed with the old secret for 24 hours.',
    view.ENDPOINT_VIEW_WITH_SECRET,
  )(({ sandbox, row }) => {
    const secret = createWebhookSecret(sandbox.epoch.drawBytes);
    return withSecret(sandbox.dispatch({ type: 'endpoint.rotate', endpointId: row('endpoint').id, secret }));
  }),
  definePost(
    'endpoints/:id/disable',
    'Disable an endpoint.',
    view.ENDPOINT_VIEW,
  )(switchEndpoint('endpoint.disable')),
  definePost('endpoints/:id/enable', 'Enable an endpoint.', view.ENDPOINT_VIEW, {
    errors: ['ENDPOINT_ALREADY_EXISTS'],
  })(switchEndpoint('endpoint.enable')),
];

/** Optional SPI failure reason. */
const FAILURE = { reason: nullish(enumOf(FAILURE_REASON_CODES)) };
const CREATION = { query: APP_QUERY, status: 201, repeats: true, errors: ['CODE_REUSED'] } as const;

/** Creates a route for each manual transition of a charge or withdrawal. */
function moveRoutes<const Of extends PaymentKind, View>(
  kind: Of,
  responseSchema: Schema<View, unknown>,
  present: (row: ReturnType<typeof requireRow<Of>>) => View,
) {
  return listMoveNames(kind).map((name) => {
    const { label, hasReason } = getMove(kind, name);
    return definePost(`${kind}s/:id/${name}`, `Simulate a ${kind} transition: ${label}.`, responseSchema, {
      query: APP_QUERY,
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

function chargeDetail(charge: Charge, { url, isExposed = false }: ServerFacts, drawQr?: QrRenderer) {
  return { ...view.presentChargeView(charge, drawQr), pay_url: url() + createPayPath(charge.id, isExposed) };
}

/** Creates the charge routes, which simulate the payer. */
const chargeRoutes = (facts: ServerFacts) => [
  createListRoute(
    'charges',
    'List charges, optionally for one application.',
    view.CHARGE_VIEW,
    CHARGE_STATUSES,
    ({ charges }) => charges.rows,
    (charge) => view.presentChargeView(charge),
  ),
  definePost('charges', 'Create a charge with defaults for omitted fields.', view.CHARGE_DETAIL, {
    ...CREATION,
    body: createPaymentSchemas('charge'),
  })((request) => {
    const { sandbox, body, query } = request;
    const app = findAppOrDefault(sandbox.world, query.app);
    // Generate no payer, so that an application posting the same code and amount gets this charge.
    const draft = createPaymentDraft('charge', app, body, 'empty');
    const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: draft });
    request.status = created ? 201 : 200;
    return chargeDetail(charge, facts);
  }),
  defineGet('charges/:id', 'Get a charge by id or code.', view.CHARGE_DETAIL, { query: APP_QUERY })(
    ({ sandbox, row }) => chargeDetail(row('charge'), facts, sandbox.drawQr),
  ),
  ...moveRoutes('charge', view.CHARGE_VIEW, (charge: Charge) => view.presentChargeView(charge)),
];

/** Withdrawal routes, which simulate the bank. */
const WITHDRAWAL_ROUTES = [
  createListRoute(
    'withdrawals',
    'List withdrawals, optionally for one application.',
    view.WITHDRAWAL_VIEW,
    WITHDRAWAL_STATUSES,
    ({ withdrawals }) => withdrawals.rows,
    view.presentWithdrawalView,
  ),
  definePost('withdrawals', 'Create a withdrawal with defaults for omitted fields.', view.WITHDRAWAL_VIEW, {
    ...CREATION,
    body: createPaymentSchemas('withdrawal'),
    errors: ['CODE_REUSED', 'INSUFFICIENT_BALANCE'],
  })((request) => {
    const { sandbox, body, query } = request;
    const app = findAppOrDefault(sandbox.world, query.app);
    const draft = createPaymentDraft('withdrawal', app, body);
    const made = sandbox.dispatch({ type: 'withdrawal.create', appId: app.id, withdrawal: draft });
    request.status = made.created ? 201 : 200;
    return view.presentWithdrawalView(made.withdrawal);
  }),
  defineGet('withdrawals/:id', 'Get a withdrawal by id or code.', view.WITHDRAWAL_VIEW, {
    query: APP_QUERY,
  })(({ row }) => view.presentWithdrawalView(row('withdrawal'))),
  ...moveRoutes('withdrawal', view.WITHDRAWAL_VIEW, view.presentWithdrawalView),
];

export const LEDGER_ENTRY = is.createResourceSchema(
  'LedgerEntry',
  'A transaction with its resource and the resulting account balance.',
  {
    ...service.TRANSACTION.fields,
    account_id: is.UUID,
    balance: view.BALANCE,
    what: withDoc('Null if the transaction has no known cause.', nullable(enumOf(LEDGER_POSTINGS))),
    resource: nullable(NAMED_RESOURCE),
  },
);
export type LedgerEntryView = Infer<typeof LEDGER_ENTRY>;

export const LEDGER_VIEW = is.createResourceSchema(
  'Ledger',
  'A ledger page, newest first, and the problems found in the full ledger.',
  {
    ...is.createPageSchema(LEDGER_ENTRY).fields,
    accounts: array(view.ACCOUNT_VIEW),
    problems: is.arrayOf(is.TEXT),
  },
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

const LEDGER_ROUTE = defineGet(
  'ledger',
  'List transactions with the resulting balances, optionally for one account.',
  LEDGER_VIEW,
  {
    query: { account: optional(NAME_INPUT), ...PAGE_FIELDS },
    errors: ['NOT_FOUND'],
    description:
      'Each transaction identifies its charge or withdrawal. `problems` covers the full ' +
      'ledger on every page: incorrect sums, missing or surplus transactions, and negative balances.',
  },
)(({ sandbox: { world }, query: { account: idOrNone, ...paging } }) => {
  const account = idOrNone === undefined ? undefined : requireRow(world, 'account', idOrNone);
  const accounts = account === undefined ? [...world.accounts.values()] : [account];
  const ledgers = accounts.map((one) => {
    const ledger = readLedger(world, one);
    return { ledger, problems: findAccountProblems(one, ledger) };
  });
  const entries = ledgers.flatMap(({ ledger }) => ledger.entries);
  if (ledgers.length > 1) entries.sort((one, other) => one.ordinal - other.ordinal);
  const found = paginate(world, entries, createListKey('ledger', { account: account?.id }), paging);
  const problems = ledgers.flatMap((one) => one.problems);
  const page = presentPageView(found, (entry) => entryView(world, entry));
  return { ...page, accounts: accounts.map(view.presentAccount), problems };
});

export const SESSION_RESULT_VIEW = is.createResourceSchema(
  'SessionResult',
  'The current result, as returned to the partner’s server.',
  {
    ...service.SESSION_RESULT.fields,
    euid: nullable(is.EUID),
  },
);
export type SessionResult = Infer<typeof SESSION_RESULT_VIEW>;

/**
 * Creates the identity routes, which simulate the tester. `hostedUrl` returns the origin of the hosted pages.
 */
function identityRoutes(hostedUrl: () => string) {
  const shown = (session: IdentitySession, sandbox: Sandbox) =>
    view.presentSession(sandbox, session, hostedUrl());
  return [
    createListRoute(
      'kyc/sessions',
      'List the sessions.',
      view.SESSION_VIEW,
      SESSION_STATUSES,
      ({ sessions }) => sessions.rows,
      shown,
      (session, app) => session.organizationId === app.organizationId,
    ),
    definePost('kyc/sessions', 'Create a session.', view.SESSION_VIEW, {
      query: APP_QUERY,
      body: {
        customerType: renameField('customer_type', nullish(enumOf(CUSTOMER_TYPES), 'individual' as const)),
      },
      status: 201,
      errors: ['SERVICE_UNAVAILABLE'],
    })(({ sandbox, body, query }) => {
      const { session } = sandbox.dispatch({
        type: 'session.create',
        organizationId: findOrganization(sandbox.world, query.app).id,
        ...body,
        idempotencyKey: null,
        ...sandbox.epoch.newSessionSecrets(),
      });
      return shown(session, sandbox);
    }),
    defineGet(
      'kyc/sessions/:id',
      'Get a session by id or id prefix.',
      view.SESSION_VIEW,
    )(({ sandbox, row }) => shown(row('session'), sandbox)),
    // Returns the result that the partner's server currently gets (§4.11), without adding a request log
    // entry.
    defineGet(
      'kyc/sessions/:id/result',
      'Get the current result, as returned to the partner’s server.',
      SESSION_RESULT_VIEW,
      {
        errors: ['NOT_TERMINAL', 'SESSION_EXPIRED'],
      },
    )(({ sandbox: { world, clock }, row }) => readSessionResult(world, row('session').id, clock.now())),
    definePost('kyc/sessions/:id/decide', 'Decide a session.', view.SESSION_VIEW, {
      body: DECISION_BODY,
      errors: ['INVALID_TRANSITION'],
    })(({ sandbox, row, body }) =>
      shown(sandbox.dispatch({ type: 'session.decide', sessionId: row('session').id, ...body }), sandbox),
    ),
  ];
}

/** Creates the routes for applications, endpoints, payments, the ledger and sessions. */
export const createResourceRoutes = (facts: ServerFacts) => [
  ...APP_ROUTES,
  ...ENDPOINT_ROUTES,
  ...chargeRoutes(facts),
  ...WITHDRAWAL_ROUTES,
  LEDGER_ROUTE,
  ...identityRoutes(facts.url),
];

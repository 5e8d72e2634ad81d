import { CALL_ROUTES } from '../../contract/call-routes.js';
import { isObject } from '../../schema/object.js';
import type { Delivery, World } from '../world.js';
import type { CallSite, Subject } from './faults.js';

type Route = (typeof CALL_ROUTES)[keyof typeof CALL_ROUTES][number];
type Asked = Pick<CallSite, 'door' | 'method' | 'path'>;

/** The lists into which another user of the account may pay while a client walks the pages. */
export const ACCOUNT_LISTS: readonly Route[] = [
  'GET /api/public/v1/withdrawals',
  'GET /api/public/v1/accounts/:id/transactions',
];

/** What a call brings that tells what it is about. */
export interface CallHead extends Asked {
  readonly token: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The JSON of its body; undefined where there is none that can be read. */
  readonly body: unknown;
}

interface Taken {
  readonly route: Route;
  /** What stands in the path where the route has a name, in order. */
  readonly parts: readonly string[];
}

/** The route that a call takes; HEAD takes that of GET. */
function routeOf({ door, method, path }: Asked): Taken | undefined {
  const routes: readonly Route[] = door === 'identity' ? CALL_ROUTES.identity : CALL_ROUTES.api;
  const asked = [method === 'HEAD' ? 'GET ' : `${method} `, ...path.split('/').slice(1)];
  for (const route of routes) {
    const steps = route.split('/');
    const isOne =
      steps.length === asked.length && steps.every((step, at) => step.startsWith(':') || step === asked[at]);
    if (isOne) return { route, parts: asked.filter((_, at) => steps[at]?.startsWith(':')) };
  }
  return undefined;
}

/** Whether a call asks for a page of withdrawals or transactions. */
export function isAccountList(asked: Asked): boolean {
  const taken = routeOf(asked);
  return taken !== undefined && ACCOUNT_LISTS.includes(taken.route);
}

/** The account whose transactions a call asks for, if it names one. */
export function accountListed(asked: Asked): string | undefined {
  return routeOf(asked)?.parts[0]?.toLowerCase();
}

/**
 * The code and the rank of the charge, withdrawal or session that a call is about; of one that it is to create, those that it has
 * or would get. Empty for a call about nothing of the kind.
 */
export function subjectOf(world: World, call: CallHead): Subject {
  const { route, parts = [] } = routeOf(call) ?? {};
  switch (route) {
    case 'POST /api/public/v1/pix': {
      return newCharge(world, call);
    }
    case 'POST /api/public/v1/webhook-endpoints/:endpoint_id/deliveries/:delivery_id/retry': {
      return ofDelivery(world.deliveries.byId.get(parts[1] ?? ''));
    }
    case 'POST /api/v1/kyc/sessions': {
      return newSession(world, call);
    }
    case 'GET /api/v1/kyc/sessions/:sessionId/result': {
      return ranked(world.sessions.byId.get(parts[0] ?? ''));
    }
    default: {
      return {};
    }
  }
}

function ranked(row: { readonly ordinal: number } | undefined): Subject {
  return row === undefined ? {} : { resource: row.ordinal + 1 };
}

function newCharge({ appsByToken, charges }: World, { token = '', body }: CallHead): Subject {
  const code = isObject(body) ? body['code'] : undefined;
  if (typeof code !== 'string') return {};
  const app = appsByToken.get(token);
  if (app === undefined) return { code };
  return { code, ...ranked(app.chargesByCode.get(code) ?? { ordinal: charges.rows.length }) };
}

function newSession({ organizations, sessions }: World, { token, idempotencyKey = '' }: CallHead): Subject {
  const caller = organizations.rows.find(({ kycToken }) => kycToken !== null && kycToken === token);
  return caller === undefined
    ? {}
    : ranked(caller.sessionsByKey.get(idempotencyKey) ?? { ordinal: sessions.rows.length });
}

function ofDelivery(delivery: Delivery | undefined): Subject {
  if (delivery === undefined) return {};
  const { code, ordinal } = delivery.event.resource;
  return { code, resource: ordinal + 1 };
}

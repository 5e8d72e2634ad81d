import {
  originAllowed,
  organizationByPublishableKey,
  registeredOrigins,
} from '../../core/identity/applications.js';
import { Refusal } from '../../contract/refusals.js';
import { CUSTOMER_TYPES } from '../../contract/enums.js';
import type { Organization } from '../../core/world.js';
import type { Problems } from './page.js';
import { Choice, Hidden, Problem } from './page.js';
import type { HostedRequest, Page, ShownPage } from './request.js';
import { namedOrigin, referringOrigin, turnAway } from './request.js';
import type { DeadEnd } from './texts.js';

/** What a publishable key and an origin give access to. */
interface Entry {
  readonly publishableKey: string;
  readonly organization: Organization;
  readonly origin: string;
}

/** `GET` and `POST /start`: entry without a session, only for pages of registered origins (§4.12, §5.4). */
export function startPage(request: HostedRequest): Page {
  const entry = enter(request);
  if (typeof entry === 'string') return turnAway(request, entry, NOTICES[entry]);
  return request.form === undefined ? showStart(request, entry, {}) : begin(request, entry);
}

/** The access that a request has, or why no verification may start here. */
function enter(request: HostedRequest): Entry | DeadEnd {
  const { sandbox, form, received } = request;
  const origin = checkedOrigin(request);
  if (origin === 'missingOrigin' || origin === 'unknownOrigin') return origin;
  const publishableKey = form?.get('publishable_key') || (received.query('publishable_key') ?? '');
  const organization = organizationOf(request, publishableKey);
  if (organization === undefined) return 'unknownKey';
  if (!originAllowed(sandbox.world, origin, organization.id)) return 'unknownOrigin';
  return { publishableKey, organization, origin };
}

/** The origin that opened the page; the browser and the address must not contradict each other. */
function checkedOrigin(request: HostedRequest): string {
  const named = namedOrigin(request);
  // Our own forms come from a page that was checked.
  if (request.form !== undefined) return named;
  const referring = referringOrigin(request);
  const isTyped = request.received.header('sec-fetch-site') === 'none' && referring === undefined;
  const origin = named || referring;
  if (isTyped || origin === undefined) return 'missingOrigin';
  return referring === undefined || referring === origin ? origin : 'unknownOrigin';
}

function organizationOf({ sandbox }: HostedRequest, publishableKey: string): Organization | undefined {
  try {
    return organizationByPublishableKey(sandbox.world, publishableKey);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'UNAUTHENTICATED') return undefined;
    throw error;
  }
}

const NOTICES: Partial<Record<DeadEnd, string>> = {
  unknownKey: 'UNKNOWN_PUBLISHABLE_KEY',
  unknownOrigin: 'ORIGIN_NOT_REGISTERED',
};

function showStart({ texts, sandbox, received }: HostedRequest, entry: Entry, problems: Problems): ShownPage {
  const { start } = texts;
  const problem = problems[FIRST_CHOICE];
  const main = (
    <>
      <h1>{start.title}</h1>
      <p>{start.lead}</p>
      <form method="post" action="/start" novalidate>
        <Hidden values={{ publishable_key: entry.publishableKey, origin: entry.origin }} />
        <fieldset>
          <legend>{start.legend}</legend>
          <Problem id={FIRST_CHOICE} text={problem} />
          {CUSTOMER_TYPES.map((type) => (
            <Choice
              id={`type-${type}`}
              name="customer_type"
              value={type}
              label={start[type]}
              isChecked={received.query('customer_type') === type}
            />
          ))}
        </fieldset>
        <button>{start.next}</button>
      </form>
    </>
  );
  return {
    status: problem === undefined ? 200 : 422,
    ancestors: registeredOrigins(sandbox.world, entry.organization.id),
    title: start.title,
    main,
    problems,
  };
}

const FIRST_CHOICE = `type-${CUSTOMER_TYPES[0]}`;

/** The public endpoint: creates the session and redirects to its page. */
function begin(request: HostedRequest, entry: Entry): Page {
  const { sandbox, texts, form } = request;
  const customerType = CUSTOMER_TYPES.find((type) => type === form?.get('customer_type'));
  if (customerType === undefined) {
    return showStart(request, entry, { [FIRST_CHOICE]: texts.problems.customerType });
  }
  const { publishableKey, origin } = entry;
  const secrets = sandbox.epoch.newSessionSecrets();
  const session = sandbox.dispatch({
    type: 'session.createPublic',
    publishableKey,
    origin,
    customerType,
    ...secrets,
  });
  return { location: `/session/${session.id}` };
}

/** A door, with a request target of its own. */
export interface DoorPlace {
  readonly door: 'api' | 'identity' | 'hosted' | 'pay' | 'sdk' | 'control' | 'console';
  readonly target: string;
}

/** One row of the table: what a client sends, as far as guards look at it. */
export interface GuardCase extends DoorPlace {
  readonly method: string;
  readonly host: string;
  readonly origin: string | undefined;
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly dest: string | undefined;
  readonly accept?: string | undefined;
  readonly contentType: string | undefined;
  readonly hasBody: boolean;
}

/** `pass`, or the error that the guards answer with. */
export type GuardOutcome = 'pass' | '403 FORBIDDEN' | '415 UNSUPPORTED_MEDIA_TYPE';

/** Where the doors stand: on this machine, or behind a public address. */
export type Side = 'local' | 'public';

export const PUBLIC_HOST = 'shop.relay.example';
export const ALLOWED_HOST = 'sandbox.internal';
export const REGISTERED_ORIGIN = 'https://shop.example';

/** What the names of hosts stand for, and on which side they may be named. */
const HOSTS: Readonly<Record<string, Side | 'nowhere'>> = {
  localhost: 'local',
  'localhost:7490': 'local',
  'LOCALHOST.:80': 'local',
  'shop.localhost': 'local',
  '127.0.0.1:7490': 'local',
  '127.9.9.9': 'local',
  '[::1]:7490': 'local',
  [ALLOWED_HOST]: 'local',
  [`${ALLOWED_HOST}:99`]: 'local',
  [PUBLIC_HOST]: 'public',
  [`${PUBLIC_HOST}:8080`]: 'nowhere',
  'evil.example': 'nowhere',
  'localhost.evil.example': 'nowhere',
  '192.168.0.1': 'nowhere',
  '0.0.0.0': 'nowhere',
  '[::ffff:127.0.0.1]': 'nowhere',
  [`sub.${ALLOWED_HOST}`]: 'nowhere',
  '127.0.0.1@evil.example': 'nowhere',
};

/** Origins as a page of somewhere sends them; `own` is the one of the address that was called. */
const ORIGINS = [
  undefined,
  'own',
  'OWN',
  REGISTERED_ORIGIN,
  'https://evil.example',
  'null',
  'own, own',
  'https://localhost:7490',
] as const;
const SITES = [undefined, 'none', 'same-origin', 'same-site', 'cross-site'] as const;
/** What a browser says that it does: a link, a form, an image, a script, a fetch. */
const FETCHES: readonly (readonly [mode: string | undefined, dest: string | undefined])[] = [
  [undefined, undefined],
  ['navigate', 'document'],
  ['navigate', 'iframe'],
  ['no-cors', 'image'],
  ['no-cors', 'script'],
  ['cors', 'empty'],
  ['websocket', 'websocket'],
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const;
const JSON_TYPES = new Set(['application/json', 'APPLICATION/JSON ; charset="utf-8"']);
const FORM_TYPES = new Set(['application/x-www-form-urlencoded']);
const PAGE = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const CONTENT_TYPES = [
  undefined,
  ...JSON_TYPES,
  ...FORM_TYPES,
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
] as const;

/** Each door with targets that mean it, among them those that look like another door's. */
export const PLACES: Readonly<Record<DoorPlace['door'], readonly string[]>> = {
  api: [
    '/api/public/v1/withdrawals',
    '/api/public/v1/pix?x=/start',
    '/startle',
    '/payments/x',
    '/session/../api/public/v1/pix',
  ],
  identity: ['/api/v1/kyc/sessions', '/api/v1/kyc/sessions/x/result?/sdk.js'],
  hosted: ['/start?publishable_key=x', '/session/kyc_1', '/start'],
  pay: ['/pay/0f8fad5b-d9cb-469f-a165-70867728950e', '/pay/charge/token?x=1'],
  sdk: ['/sdk.js', '/sdk.js?v=2'],
  control: [
    '/_sandbox/status',
    '/_sandbox/trigger?/sdk.js',
    '/_sandbox/session/kyc_1',
    '/_sandbox/charges/sdk.js',
  ],
  console: ['/', '/?q=status%3A5xx', '/charges', '/deliveries/d1?q=x', '/charges/a/b', '/consoles'],
};

/**
 * The rules, said once more and apart from the code that holds them. A request is for a host that is ours. A web page may
 * call from its own origin alone; what other sites may do is open the hosted pages, follow a link to the console or a pay page, and
 * load the SDK, and an Origin goes with that only for the SDK and a registered one. A body is JSON, and at the hosted pages and pay
 * pages it may be a form.
 */
export function expectedOutcome(request: GuardCase, side: Side): GuardOutcome {
  const { host, origin, site, door, method, mode, dest, contentType, hasBody } = request;
  if (HOSTS[host] !== side) return '403 FORBIDDEN';
  const isLink = method === 'GET' && mode === 'navigate' && dest === 'document';
  const isPage =
    door === 'hosted' ||
    door === 'sdk' ||
    (door === 'pay' && isLink) ||
    (door === 'console' && isFollowedLink(request));
  if ((site === 'cross-site' || site === 'same-site') && !isPage) return '403 FORBIDDEN';
  const isOwn = origin === undefined || origin.toLowerCase() === ownOrigin(host, side);
  const isGuest = door === 'sdk' && origin === REGISTERED_ORIGIN;
  if (!isOwn && !isGuest) return '403 FORBIDDEN';
  if (!hasBody || JSON_TYPES.has(contentType ?? '')) return 'pass';
  const takesForms = door === 'hosted' || door === 'pay';
  return takesForms && FORM_TYPES.has(contentType ?? '') ? 'pass' : '415 UNSUPPORTED_MEDIA_TYPE';
}

/** A person who follows a link of another page to a page of the console. */
function isFollowedLink({ method, mode, dest, target, accept }: GuardCase): boolean {
  const isPage = target !== '/charges/a/b' && target !== '/consoles';
  return isPage && method === 'GET' && mode === 'navigate' && dest === 'document' && accept === PAGE;
}

function ownOrigin(host: string, side: Side): string {
  return `${side === 'public' ? 'https' : 'http'}://${host.toLowerCase()}`;
}

type Row = readonly [
  string,
  (typeof ORIGINS)[number],
  (typeof SITES)[number],
  (typeof FETCHES)[number],
  (typeof METHODS)[number],
  (typeof CONTENT_TYPES)[number],
];

/**
 * The table of a door on one side: every pair of values of two columns stands in some row beside what is harmless, so that no
 * two rules can hide each other. At the console, a link that a person follows is harmless.
 */
export function guardTable(door: DoorPlace['door'], side: Side): GuardCase[] {
  const ours = side === 'public' ? PUBLIC_HOST : 'localhost:7490';
  const columns = [Object.keys(HOSTS), ORIGINS, SITES, FETCHES, METHODS, CONTENT_TYPES] as const;
  const harmless: Row =
    door === 'console'
      ? [ours, undefined, 'cross-site', ['navigate', 'document'], 'GET', undefined]
      : [ours, undefined, undefined, [undefined, undefined], 'POST', 'application/json'];
  const rows = new Map<string, Row>();
  columns.forEach((first, one) => {
    columns.slice(one + 1).forEach((second, offset) => {
      for (const value of first) {
        for (const other of second) {
          const row = harmless.with(one, value).with(one + 1 + offset, other) as unknown as Row;
          rows.set(JSON.stringify(row), row);
        }
      }
    });
  });
  const targets = PLACES[door];
  return [...rows.values()].map((row, index) =>
    caseOf({ door, target: targets[index % targets.length] ?? '' }, row, side),
  );
}

function caseOf(
  place: DoorPlace,
  [host, origin, site, [mode, dest], method, contentType]: Row,
  side: Side,
): GuardCase {
  const own = ownOrigin(host, side);
  const written = origin?.replaceAll('own', own).replace('OWN', own.toUpperCase());
  const hasBody = method === 'POST' || method === 'PUT';
  const accept = mode === 'navigate' ? PAGE : '*/*';
  return { ...place, method, host, origin: written, site, mode, dest, accept, contentType, hasBody };
}

/** The bytes of a row's request; the connection ends with the answer. */
export function bytesOfCase({
  method,
  target,
  host,
  origin,
  site,
  mode,
  dest,
  accept,
  contentType,
  hasBody,
}: GuardCase): Buffer {
  const headers: readonly (readonly [string, string | undefined])[] = [
    ['Host', host],
    ['Origin', origin],
    ['Sec-Fetch-Site', site],
    ['Sec-Fetch-Mode', mode],
    ['Sec-Fetch-Dest', dest],
    ['Accept', accept],
    ['Content-Type', contentType],
    ['Content-Length', hasBody ? '2' : undefined],
    ['Connection', 'close'],
  ];
  const lines = headers.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, '', hasBody ? '{}' : ''].join('\r\n'));
}

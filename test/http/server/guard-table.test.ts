import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import type { GuardPolicy } from '../../../src/http/server/guards.js';
import { guardRequest } from '../../../src/http/server/guards.js';

const PUBLIC_HOST = 'shop.relay.example';
const REGISTERED = 'https://shop.example';
const LOCAL: GuardPolicy = {
  allowedHosts: new Set(['sandbox.internal']),
  isRegisteredOrigin: (origin) => origin === REGISTERED,
};
const PUBLIC: GuardPolicy = { ...LOCAL, publicOrigin: () => `https://${PUBLIC_HOST}` };

const HOSTS: Readonly<Record<string, 'local' | 'public' | 'nowhere'>> = {
  'localhost:7490': 'local',
  'LOCALHOST.:80': 'local',
  '127.9.9.9': 'local',
  '[::1]:7490': 'local',
  'sandbox.internal:99': 'local',
  [PUBLIC_HOST]: 'public',
  [`${PUBLIC_HOST}:8080`]: 'nowhere',
  'localhost.evil.example': 'nowhere',
  '[::ffff:127.0.0.1]': 'nowhere',
};
const ORIGINS = [undefined, 'own', 'OWN', REGISTERED, 'https://evil.example', 'null', 'own, own'];
const SITES = [undefined, 'none', 'same-origin', 'same-site', 'cross-site'];
/** A link, a form in a frame, a script, a fetch. */
const FETCHES = [undefined, 'navigate document', 'navigate iframe', 'no-cors script', 'cors empty'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
const JSON_TYPES = ['application/json', 'APPLICATION/JSON ; charset="utf-8"'];
const FORM = 'application/x-www-form-urlencoded';
const TYPES = [undefined, ...JSON_TYPES, FORM, 'text/plain', 'application/json; charset=utf-16'];
const TARGETS = {
  api: ['/api/public/v1/pix?x=/start', '/startle', '/payments/x', '/session/../api/public/v1/pix'],
  identity: ['/api/v1/kyc/sessions', '/api/v1/kyc/sessions/x/result?/sdk.js'],
  hosted: ['/start?publishable_key=x', '/session/kyc_1'],
  pay: ['/pay/0f8fad5b-d9cb-469f-a165-70867728950e', '/pay/charge/token?x=1'],
  sdk: ['/sdk.js', '/sdk.js?v=2'],
  control: ['/_sandbox/trigger?/sdk.js', '/_sandbox/session/kyc_1', '/_sandbox/charges/sdk.js'],
  console: ['/?q=status%3A5xx', '/charges', '/deliveries/d1?q=x'],
} as const;
type Surface = keyof typeof TARGETS;
type Row = readonly (string | undefined)[];

/**
 * The rules, stated apart from the code that enforces them. The host is ours. A web page calls from its own origin only; other
 * sites open the hosted pages, follow a link to the console or a pay page, and load the SDK, and send an Origin only for the SDK
 * and a registered one. A body is JSON, or a form at the hosted and pay pages.
 */
function expectedOutcome(
  api: Surface,
  [host = '', origin, site, fetched, method, type]: Row,
  side: 'local' | 'public',
) {
  if (HOSTS[host] !== side) return 'FORBIDDEN';
  const isLink = method === 'GET' && fetched === 'navigate document';
  const isOpen = api === 'hosted' || api === 'sdk' || ((api === 'pay' || api === 'console') && isLink);
  if ((site === 'cross-site' || site === 'same-site') && !isOpen) return 'FORBIDDEN';
  const isOwn = origin === undefined || origin === 'own' || origin === 'OWN';
  if (!isOwn && !(api === 'sdk' && origin === REGISTERED)) return 'FORBIDDEN';
  if ((method !== 'POST' && method !== 'PUT') || JSON_TYPES.includes(type ?? '')) return 'pass';
  return (api === 'hosted' || api === 'pay') && type === FORM ? 'pass' : 'UNSUPPORTED_MEDIA_TYPE';
}

/** Every pair of values of two columns, next to harmless ones, so that no two rules hide each other. */
function rowsOf(api: Surface, side: 'local' | 'public'): Row[] {
  const ours = side === 'public' ? PUBLIC_HOST : 'localhost:7490';
  const harmless: Row =
    api === 'console'
      ? [ours, undefined, 'cross-site', 'navigate document', 'GET', undefined]
      : [ours, undefined, undefined, undefined, 'POST', 'application/json'];
  const columns: readonly Row[] = [Object.keys(HOSTS), ORIGINS, SITES, FETCHES, METHODS, TYPES];
  return columns.flatMap((first, one) =>
    columns.flatMap((second, other) =>
      one >= other ? [] : first.flatMap((a) => second.map((b) => harmless.with(one, a).with(other, b))),
    ),
  );
}

function outcomeOf(
  url: string,
  [host = '', origin, site, fetched, method, type]: Row,
  side: 'local' | 'public',
) {
  const own = `${side === 'public' ? 'https' : 'http'}://${host.toLowerCase()}`;
  const [mode, dest] = fetched?.split(' ') ?? [];
  const sent = {
    host,
    origin: origin?.replaceAll('own', own).replace('OWN', own.toUpperCase()),
    'sec-fetch-site': site,
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
    accept: mode === 'navigate' ? 'text/html,*/*;q=0.8' : '*/*',
    'content-type': type,
    'content-length': method === 'POST' || method === 'PUT' ? '2' : undefined,
  };
  const headers = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
  const rawHeaders = Object.entries(headers).flat();
  const request = { method, url, headers, rawHeaders } as unknown as IncomingMessage;
  return guardRequest(request, side === 'public' ? PUBLIC : LOCAL)?.code ?? 'pass';
}

const SIDES = ['local', 'public'] as const;

test.each(SIDES.flatMap((side) => (Object.keys(TARGETS) as Surface[]).map((api) => [side, api] as const)))(
  'guards the %s %s by the rules',
  (side, api) => {
    const rows = rowsOf(api, side);
    expect(rows.length).toBeGreaterThan(500);
    const wrong = rows.flatMap((row) =>
      TARGETS[api]
        .filter((target) => outcomeOf(target, row, side) !== expectedOutcome(api, row, side))
        .map((target) => `${outcomeOf(target, row, side)}: ${target} ${row.join(' | ')}`),
    );
    expect(wrong.slice(0, 9)).toEqual([]);
  },
);

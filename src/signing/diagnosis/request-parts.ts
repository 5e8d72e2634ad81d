import { parseUrl } from '../../text/urls.js';
import { pathOf } from '../request.js';
import type { Mistake, Subject, Variant } from './mistake.js';
import { mistake, rowsAbout, rowsFromText, UNSET_TEXTS, variantsOf } from './mistake.js';
import { objectOf } from './texts.js';

const SIGN_IN_CAPITALS = 'Sign the method of the request in upper case, as in POST.';

const methodRow = rowsAbout('method', SIGN_IN_CAPITALS);
const methodTextRow = rowsFromText('method', SIGN_IN_CAPITALS);
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Texts that may have been signed instead of the method. */
export const METHOD_MISTAKES: readonly Mistake[] = [
  methodTextRow('method-lower-case', 'The method was signed in small letters.', (method) => [
    method.toLowerCase(),
  ]),
  methodTextRow(
    'method-capitalised',
    'Only the first letter of the method was signed in upper case.',
    (method) => [method.slice(0, 1).toUpperCase() + method.slice(1).toLowerCase()],
  ),
  methodRow('method-other', 'Another method was signed than was sent.', () =>
    Object.fromEntries(METHODS.map((method) => [method, method])),
  ),
  methodRow('method-unset', 'An unset value was signed in place of the method.', () => UNSET_TEXTS),
];

const NONCE_AS_SENT = 'Generate the nonce once, and use the same text in X-Nonce and in the signed content.';

const nonceRow = rowsFromText('id', NONCE_AS_SENT);

/** Texts that may have been signed instead of the nonce. */
export const NONCE_MISTAKES: readonly Mistake[] = [
  nonceRow('nonce-case', 'The nonce was signed in a different case than sent.', (nonce) => [
    nonce.toLowerCase(),
    nonce.toUpperCase(),
  ]),
  nonceRow(
    'nonce-dashes',
    'The nonce was signed without the dashes it was sent with, or with extra dashes.',
    (nonce) => [
      nonce.replaceAll('-', ''),
      nonce.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    ],
  ),
  nonceRow(
    'nonce-encoded',
    'The nonce was signed as hex or base64 of what was sent, or the other way round.',
    (nonce) => [
      Buffer.from(nonce).toString('hex'),
      Buffer.from(nonce).toString('base64'),
      Buffer.from(nonce).toString('base64url'),
      Buffer.from(nonce, 'hex').toString('latin1'),
      Buffer.from(nonce, 'base64').toString('latin1'),
      Buffer.from(nonce, 'hex').toString('base64'),
      Buffer.from(nonce, 'base64').toString('hex'),
    ],
  ),
  nonceRow('nonce-quoted', 'The nonce was signed in quotes or braces.', (nonce) => [
    `"${nonce}"`,
    `'${nonce}'`,
    `{${nonce}}`,
    `b'${nonce}'`,
    `UUID('${nonce}')`,
  ]),
  nonceRow('nonce-line-break', 'The nonce was signed with a line break or space after it.', (nonce) => [
    `${nonce}\n`,
    `${nonce} `,
  ]),
  nonceRow('nonce-cut', 'Only the beginning of the nonce was signed.', (nonce) =>
    [8, 12, 16, 32, 64].map((length) => nonce.slice(0, length)),
  ),
  nonceRow('nonce-unset', 'An unset value was signed in place of the nonce.', () => [...UNSET_TEXTS, '0']),
  mistake(
    'nonce-is-other-field',
    'Another value was signed in place of the nonce.',
    NONCE_AS_SENT,
    otherFields,
  ),
];

function otherFields({ right, json }: Subject): Variant[] {
  const code = objectOf(json?.value)?.['code'];
  const variants: Variant[] = [{ change: { id: right.timestamp }, detail: 'the timestamp' }];
  if (typeof code === 'string') variants.push({ change: { id: code }, detail: 'the code of the charge' });
  return variants;
}

const PATH_AS_SENT = 'Sign the path exactly as in the request line, starting with its first slash.';

const pathRow = rowsFromText('path', PATH_AS_SENT);
const targetRow = rowsAbout('path', PATH_AS_SENT);

/** Texts that may have been signed instead of the path. */
export const PATH_MISTAKES: readonly Mistake[] = [
  mistake(
    'path-with-query',
    'The path was signed with the query.',
    'Cut the target at its first ? and sign the part before it.',
    ({ target }) => variantsOf('path', [target]),
  ),
  mistake(
    'path-without-query',
    'The path was signed without the query.',
    'Sign the whole target, query included.',
    ({ target }) => variantsOf('path', [pathOf(target)]),
  ),
  targetRow(
    'path-query-order',
    'The query was signed with its parameters in a different order.',
    ({ target }) => sortedQuery(target),
  ),
  mistake(
    'path-absolute-url',
    'The whole URL was signed.',
    'Leave out scheme and host: sign only the path after them.',
    (subject) => variantsOf('path', withHost(subject, ['http://', 'https://'])),
  ),
  mistake(
    'path-with-host',
    'The host was signed before the path.',
    'Leave out the host: sign only the path.',
    (subject) => variantsOf('path', withHost(subject, ['', '//'])),
  ),
  pathRow('path-without-leading-slash', 'The path was signed without its first slash.', (path) => [
    path.replace(/^\//, ''),
  ]),
  pathRow(
    'path-trailing-slash',
    'The path was signed with a trailing slash that was not sent, or without the one sent.',
    (path) => [
      path.endsWith('/') ? path.slice(0, -1) : `${path}/`,
      path.endsWith('/') ? path.replace(/(?<!\/)\/+$/, '') : undefined,
    ],
  ),
  mistake(
    'path-prefix-left-out',
    'The path was signed without its beginning.',
    'Sign the full path, including /api/public/v1; a router or a client with a base URL may hide it.',
    ({ right }) => variantsOf('path', typeof right.path === 'string' ? tailsOf(right.path) : []),
  ),
  pathRow('path-prefix-doubled', 'The beginning of the path was signed twice.', headsDoubled),
  pathRow('path-decoded', 'The path was signed after percent-decoding.', (path) => [
    decoded(path, decodeURIComponent),
    decoded(path, decodeURI),
  ]),
  pathRow('path-encoded', 'The path was signed after percent-encoding it again.', (path) => [
    encodeURIComponent(path),
    encodeURI(path),
    path.split('/').map(encodeURIComponent).join('/'),
    encodeURIComponent(path).toLowerCase(),
  ]),
  pathRow('path-case', 'The path was signed in a different case than sent.', (path) => [
    path.toLowerCase(),
    path.toUpperCase(),
    path.replaceAll(/%[0-9a-f]{2}/gi, (triplet) => triplet.toUpperCase()),
    path.replaceAll(/%[0-9a-f]{2}/gi, (triplet) => triplet.toLowerCase()),
  ]),
  pathRow(
    'path-normalised',
    'The path was signed after its dots or double slashes were resolved.',
    normalisedForms,
  ),
  pathRow('path-template', 'The route pattern was signed, not the path with its ids.', templates),
  targetRow(
    'path-request-line',
    'The path was signed together with the method or HTTP version.',
    ({ right, target }) =>
      ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2'].flatMap((version) => [
        `${String(right.method)} ${target}`,
        `${String(right.method)} ${target} ${version}`,
        `${target} ${version}`,
      ]),
  ),
  pathRow('path-fragment', 'The path was signed with a # or ? at its end.', (path) => [
    `${path}?`,
    `${path}#`,
  ]),
  pathRow('path-unset', 'An unset value or a single slash was signed instead of the path.', () => [
    ...UNSET_TEXTS,
    '/',
  ]),
];

function withHost({ target, host }: Subject, schemes: readonly string[]): string[] {
  if (!host) return [];
  const path = pathOf(target);
  const hosts = [...new Set([host, host.replace(/:\d+$/, '')])];
  return hosts.flatMap((host) =>
    schemes.flatMap((scheme) => [`${scheme}${host}${path}`, `${scheme}${host}${target}`]),
  );
}

function sortedQuery(target: string): string[] {
  const path = pathOf(target);
  const pairs = target.slice(path.length + 1).split('&');
  if (pairs.length < 2) return [];
  return [pairs.toSorted(), pairs.toReversed()].map((pairs) => `${path}?${pairs.join('&')}`);
}

function tailsOf(path: string): string[] {
  const tails: string[] = [];
  for (let at = path.indexOf('/', 1); at > 0 && tails.length < 24; at = path.indexOf('/', at + 1)) {
    tails.push(path.slice(at), path.slice(at + 1));
  }
  return tails;
}

function headsDoubled(path: string): string[] {
  const heads: string[] = [];
  for (let at = path.indexOf('/', 1); at > 0 && heads.length < 6; at = path.indexOf('/', at + 1)) {
    heads.push(path.slice(0, at) + path);
  }
  return [...heads, path + path, `/${path}`];
}

function decoded(path: string, decode: (text: string) => string): string | undefined {
  try {
    return decode(path);
  } catch {
    return undefined;
  }
}

function normalisedForms(path: string): (string | undefined)[] {
  const single = path.replaceAll(/\/{2,}/g, '/');
  return [single, resolved(path), resolved(single)];
}

function resolved(path: string): string | undefined {
  return parseUrl(`http://localhost${path}`)?.pathname;
}

const ID_SEGMENT = /[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/g;

function templates(path: string): string[] {
  const names = ['endpoint_id', 'delivery_id'];
  const ids = path.match(ID_SEGMENT) ?? [];
  if (ids.length === 0) return [];
  const named = (form: (name: string) => string): string => {
    let index = 0;
    return path.replaceAll(ID_SEGMENT, () => form(names[index++] ?? 'id'));
  };
  return [
    named((name) => `{${name}}`),
    named((name) => `:${name}`),
    named((name) => `<${name}>`),
    ...['{id}', ':id', '*'].map((form) => path.replaceAll(ID_SEGMENT, form)),
  ];
}

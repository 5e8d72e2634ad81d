import type { Next } from 'hono';
import { Refusal } from '../../contract/refusals.js';
import type { DoorApp, DoorContext } from '../operation/answer.js';
import { newRequestId, written } from '../operation/answer.js';
import { createDoorApp, send } from '../operation/send.js';
import { createFallback, sendUnrouted } from '../operation/fallbacks.js';
import type { ConsoleFile } from './files.js';
import { consoleFiles } from './files.js';
import { isNavigation } from './request.js';

export { isConsoleRequest, isNavigation } from './request.js';

const FILES = '/console/';
const FILE_ROUTE = { method: 'GET', path: `${FILES}:name` };
const INDEX_ROUTE = { method: 'GET', path: '/' };

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const SHELL_HEADERS = {
  'content-security-policy': POLICY,
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  vary: 'accept, sec-fetch-mode',
};

const FILE_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** The doors of a sandbox, for what asks for `/` and is not a browser. */
const INDEX = {
  service: 'PIX sandbox',
  doors: {
    api: '/api/public/v1/',
    identity: '/api/v1/',
    hosted: '/start',
    control: '/_sandbox/',
    description: '/openapi.json',
    control_description: '/_sandbox/openapi.json',
  },
  console: 'Open this address in a browser.',
};

/** The web console: a shell without data, its files, and an index of the doors. None of its requests is a call. */
export function createConsoleApp(): DoorApp {
  const app = createDoorApp();
  app.all(`${FILES}*`, serveFile);
  app.on('GET', '*', servePage);
  const unrouted = createFallback('', [INDEX_ROUTE, FILE_ROUTE]);
  app.notFound((c) => sendUnrouted(c, unrouted(c)));
  return app;
}

/** The shell for a person who navigates, and else the index of the doors. */
async function servePage(c: DoorContext, next: Next): Promise<Response | void> {
  const asked = { accept: c.req.header('accept'), 'sec-fetch-mode': c.req.header('sec-fetch-mode') };
  const files = isNavigation(asked) ? await consoleFiles() : undefined;
  if (files !== undefined) return answerFile(c, files.shell, SHELL_HEADERS);
  if (c.req.path === INDEX_ROUTE.path) return send(c, written(newRequestId(), { status: 200, body: INDEX }));
  return next();
}

async function serveFile(c: DoorContext, next: Next): Promise<Response | void> {
  const { method, path } = c.req;
  const file = (await consoleFiles())?.byName.get(path.slice(FILES.length));
  if (file === undefined) return sendUnrouted(c, { refusal: noFile(path), headers: {} });
  return method === 'GET' || method === 'HEAD' ? answerFile(c, file, FILE_HEADERS) : next();
}

function noFile(path: string): Refusal {
  const hint = 'The files of another version have other names: load the page again.';
  return new Refusal('NOT_FOUND', `The console has no file ${path}.`, { hint });
}

/** The headers of an answer 304 are those of the file itself. */
function answerFile(
  c: DoorContext,
  { type, bytes, tag }: ConsoleFile,
  headers: Readonly<Record<string, string>>,
): Response {
  if (isKnown(c.req.header('if-none-match'), tag)) {
    return new Response(null, { status: 304, headers: { etag: tag, ...headers } });
  }
  const isHead = c.req.method === 'HEAD';
  const length = String(bytes.byteLength);
  return new Response(isHead ? null : bytes, {
    headers: { 'content-type': type, 'content-length': length, etag: tag, ...headers },
  });
}

/** Whether a client already has what it asks for, by the list of tags that it names. */
function isKnown(tags: string | undefined, tag: string): boolean {
  const known = new Set((tags ?? '').split(',').map((one) => one.trim().replace(/^W\//, '')));
  return known.has(tag) || known.has('*');
}

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import { Refusal } from '../../contract/refusals.js';
import {
  createSurfaceApp,
  type SurfaceApp,
  type SurfaceContext,
  createRequestId,
  sendResponse,
  serializeResponse,
} from '../shared/response.js';
import { createFallback, sendUnmatched } from '../shared/unsupported-operations.js';
import { DOCUMENT_PATH, isNavigation } from '../shared/surface.js';

const FILES = '/console/';
const FOLDER = 'dist/console';
const SHELL = 'index.html';
const ROUTES = ['/', `${FILES}:name`, DOCUMENT_PATH].map((path) => ({ method: 'GET', path }));

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
];

const COMMON_HEADERS = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

const SHELL_HEADERS = {
  ...COMMON_HEADERS,
  'content-security-policy': POLICY.join('; '),
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  vary: 'accept, sec-fetch-mode',
};

/** Headers for content-hashed files. */
const FILE_HEADERS = { ...COMMON_HEADERS, 'cache-control': 'public, max-age=31536000, immutable' };

/** JSON index of the sandbox's APIs, served at `/` to non-browser clients. */
const INDEX = {
  service: 'PIX sandbox',
  surfaces: {
    api: '/api/public/v1/',
    identity: '/api/v1/',
    hosted: '/start',
    control: '/_sandbox/',
    description: '/openapi.json',
    control_description: '/_sandbox/openapi.json',
  },
  console: 'Open this URL in a browser.',
};

/**
 * Creates the app that serves the web console, the API index and the service's OpenAPI document. Requests to
 * this app are not added to the request log.
 */
export function createConsoleApp(describe: () => Promise<object>): SurfaceApp {
  const app = createSurfaceApp();
  app.get(DOCUMENT_PATH, async (c) => {
    // The guards allow cross-origin reads of the document.
    const headers = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
    return sendJson(c, await describe(), headers);
  });
  const folder = builtFolder(dirname(fileURLToPath(import.meta.url)));
  if (folder !== undefined) {
    const rewriteRequestPath = (path: string) => path.slice(FILES.length - 1);
    const serveFile = withHeaders(serveStatic({ root: folder, index: '', rewriteRequestPath }), FILE_HEADERS);
    const serveShell = withHeaders(serveStatic({ path: join(folder, SHELL) }), SHELL_HEADERS);
    app.use(etag({ retainedHeaders: ['etag', ...Object.keys(SHELL_HEADERS)] }));
    app.use(`${FILES}:name{.+\\.(?:js|css|svg|json)}`, serveFile);
    app.on('GET', '*', (c, next) => {
      const asked = { accept: c.req.header('accept'), 'sec-fetch-mode': c.req.header('sec-fetch-mode') };
      return isNavigation(asked) && !c.req.path.startsWith(FILES) ? serveShell(c, next) : next();
    });
  }
  app.get('/', (c) => sendJson(c, INDEX));
  app.on('GET', `${FILES}*`, (c) => {
    const hint = 'File names change with each version. Reload the page.';
    const refusal = new Refusal('NOT_FOUND', `Console file ${c.req.path} does not exist.`, { hint });
    return sendUnmatched(c, { refusal, headers: {} });
  });
  const unrouted = createFallback('', ROUTES);
  app.notFound((c) => sendUnmatched(c, unrouted(c)));
  return app;
}

function sendJson(c: SurfaceContext, body: object, headers = {}): Response {
  return sendResponse(c, serializeResponse(createRequestId(), { status: 200, body, headers }));
}

/** Adds headers to the response if the file exists. */
function withHeaders(serve: MiddlewareHandler, headers: Readonly<Record<string, string>>): MiddlewareHandler {
  return async (c, next) => {
    const response = await serve(c, next);
    if (!(response instanceof Response)) return undefined;
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };
}

/**
 * Searches parent directories for the built console, because the bundle and the sources are at different
 * depths.
 */
function builtFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const built = join(folder, FOLDER);
    if (existsSync(join(built, SHELL))) return built;
    if (folder === dirname(folder)) return undefined;
  }
}

import { createHash } from 'node:crypto';
import { existsSync, promises } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Next } from 'hono';
import { Refusal } from '../../contract/refusals.js';
import type { DoorApp, DoorContext } from '../operation/answer.js';
import { newRequestId, written } from '../operation/answer.js';
import { createDoorApp, send } from '../operation/send.js';
import { createFallback, sendUnrouted } from '../operation/fallbacks.js';
import { createLoader } from '../operation/loader.js';
import { DOCUMENT_PATH, isNavigation } from '../operation/targets.js';

const FILES = '/console/';
const FILE_ROUTE = { method: 'GET', path: `${FILES}:name` };
const INDEX_ROUTE = { method: 'GET', path: '/' };
const DOCUMENT_ROUTE = { method: 'GET', path: DOCUMENT_PATH };

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

/**
 * The extras for people, none of whose requests is a call: the web console, a shell without data with its
 * files; an index of the doors; and the service's document.
 */
export function createConsoleApp(describe: () => Promise<object>): DoorApp {
  const app = createDoorApp();
  app.get(DOCUMENT_PATH, async (c) => {
    // The guards let pages of other origins read it.
    const headers = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
    return send(c, written(newRequestId(), { status: 200, body: await describe(), headers }));
  });
  app.all(`${FILES}*`, serveFile);
  app.on('GET', '*', servePage);
  const unrouted = createFallback('', [INDEX_ROUTE, FILE_ROUTE, DOCUMENT_ROUTE]);
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

/** A file of the built console. */
interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Changes with the content, for the header ETag. */
  readonly tag: string;
}

/** What the build wrote for the browser: the shell, and its files by their names, which change with their content. */
interface ConsoleFiles {
  readonly shell: ConsoleFile;
  readonly byName: ReadonlyMap<string, ConsoleFile>;
}

const FOLDER = 'dist/console';
const SHELL = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** The files of the console, read once and when first asked for; undefined where it is not built. */
const consoleFiles = createLoader(load);

async function load(): Promise<ConsoleFiles | undefined> {
  const folder = builtFolder(dirname(fileURLToPath(import.meta.url)));
  if (folder === undefined) return undefined;
  const files = await Promise.all(
    (await promises.readdir(folder)).map(async (name) => [name, await fileOf(join(folder, name))] as const),
  );
  const byName = new Map(files);
  const shell = byName.get(SHELL);
  byName.delete(SHELL);
  return shell && { shell, byName };
}

async function fileOf(path: string): Promise<ConsoleFile> {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  const bytes = new Uint8Array(await promises.readFile(path));
  return { type, bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"` };
}

/** Searched upwards, because the bundle and the sources are at different depths. */
function builtFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const built = join(folder, FOLDER);
    if (existsSync(join(built, SHELL))) return built;
    if (folder === dirname(folder)) return undefined;
  }
}

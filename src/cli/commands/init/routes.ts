import { dirname, extname, join } from 'node:path';
import { lineAt, NODE_PROGRAM, type SourceFile } from './sources.js';

/** A route of the application; `place` is its file and line. */
export interface SourceRoute {
  readonly path: string;
  readonly place: string;
  readonly file: SourceFile;
  /** The route and what follows, up to the next route. */
  readonly text: string;
  readonly score: number;
}

/**
 * Routes per language. Groups: `path`; `method`; `rest`, which may list methods; `client`, the receiver of the
 * call. Without `method` and `rest`, the route is for every method. Each pattern matches within one line.
 */
const ROUTES: Readonly<Record<'js' | 'py' | 'go' | 'rb' | 'php' | 'java', readonly RegExp[]>> = {
  js: [
    /\b(?<client>\w{1,60})\.(?<method>post|get|all)(?:<[^(]{1,200}>)?\([ \t\n]{0,40}['"`](?<path>\/[^'"`\s]*)['"`]/g,
    /\.route\([ \t]{0,9}['"`](?<path>\/[^'"`\s]*)['"`][ \t]{0,9}\)\s{0,40}\.(?<method>post|get)\b/g,
    /\bmethod:\s{0,9}\[?['"`](?<method>POST|GET)['"`]\]?,\s{0,40}url:\s{0,9}['"`](?<path>\/[^'"`\s]*)['"`]/g,
    /\burl:\s{0,9}['"`](?<path>\/[^'"`\s]*)['"`],\s{0,40}method:\s{0,9}\[?['"`](?<method>POST|GET)['"`]/g,
    /@(?<method>Post|Get)\([ \t]{0,9}(?:['"`](?<path>[^'"`\s]*)['"`])?[ \t]{0,9}\)/g,
    /\b(?:url|pathname)\s{0,9}={2,3}\s{0,9}['"`](?<path>\/[^'"`\s]*)['"`]/g,
  ],
  py: [
    /@(?<client>\w{1,60})\.(?<method>post|get)\(\s{0,40}['"](?<path>[^'"\s]*)['"]/g,
    /@(?<client>\w{1,60})\.(?:route|api_route)\(\s{0,40}['"](?<path>[^'"\s]*)['"](?<rest>[^)]{0,200})/g,
    /\b(?:re_path|path|url)\(\s{0,40}r?['"](?<path>[^'"\s]*)['"],(?!\s{0,9}include)/g,
    /\bself\.path\s{0,9}==\s{0,9}['"](?<path>\/[^'"\s]*)['"]/g,
  ],
  go: [
    /\.(?:HandleFunc|Handle|(?<method>POST|Post|GET|Get))\(\s{0,40}"(?:(?<rest>POST|GET) )?(?<path>\/[^"\s]*)"/g,
  ],
  rb: [/^[ \t]*(?<method>post|get)[ (]{1,3}['"](?<path>[^'"\s]*)['"]/gm],
  php: [/(?:::|->)(?<method>post|get)\(\s{0,40}['"](?<path>[^'"\s]*)['"]/g],
  java: [
    /@(?<method>Post|Get)Mapping(?:\(\s{0,40}(?:(?:value|path)\s{0,9}=\s{0,9})?\{?"(?<path>[^"\s]*)")?/g,
  ],
};
type Language = keyof typeof ROUTES;

const NEXT_ROUTE = /(?:^|\/)(?:app(?<app>\/.*)\/route|pages(?<pages>\/api\/.*?)(?:\/index)?)\.[jt]sx?$/;
const NEXT_HANDLERS = { POST: /\bPOST\b/, GET: /\bGET\b/ };
/** Prefix of every route in the same file. */
const OWN_PREFIXES = [
  /\b(?<name>\w+)\s{0,9}=\s{0,9}(?:Blueprint|APIRouter)\([^)]{0,200}?prefix\s{0,9}=\s{0,9}['"](?<prefix>[^'"\s]*)['"]/,
  /@Controller\(\s{0,40}['"`](?<prefix>[^'"`\s]*)['"`]/,
  /@RequestMapping\(\s{0,40}(?:(?:value|path)\s{0,9}=\s{0,9})?"(?<prefix>[^"\s]*)"/,
  /\.basePath\(\s{0,9}['"`](?<prefix>[^'"`\s]*)['"`]/,
];
/** Prefixes of routes in other files. `target` names or imports the file. */
const MOUNTS = [
  /\.(?:use|route)\(\s{0,40}['"`](?<prefix>\/[^'"`\s]*)['"`],(?<target>[^;\n]{1,200})/g,
  /\.register\((?<target>[^,\n]{1,100}),\s{0,40}\{[^}]{0,100}?\bprefix:\s{0,9}['"`](?<prefix>\/[^'"`\s]*)['"`]/g,
  /\b(?:register_blueprint|include_router)\((?<target>[^)]{1,100}?)\b(?:url_)?prefix\s{0,9}=\s{0,9}['"](?<prefix>[^'"\s]*)['"]/g,
  /\bpath\(\s{0,9}['"](?<prefix>[^'"\s]*)['"],\s{0,40}include\((?<target>[^)]{1,100})/g,
];
/** Folders of routes loaded by @fastify/autoload, whose names are prefixes. */
const AUTOLOADED = /^(?:src\/)?routes\/(?<prefix>.+)\/[^/]+$/;
const GLOBAL_PREFIX = /\.setGlobalPrefix\(\s{0,9}['"`]([^'"`\s]*)['"`]/;
/** Quadratic work depends on it. */
const MOST_PER_FILE = 200;
const IMPORTS = [
  /\b(?:import|const|let|var)\s{1,9}(?<names>[^;'"`=]{1,200}?)(?:\bfrom\s{0,9}|=\s{0,9}require\(\s{0,9})['"`](?<from>[^'"`\s]*)['"`]/g,
  /^[ \t]*from[ \t]{1,9}(?<from>[\w.]*)[ \t]{1,9}import[ \t]{1,9}(?<names>[^\n]{1,200})/gm,
];
/** HTTP clients, whose calls look like routes. */
const CLIENTS = /^(?:axios|https?|client|api|apiClient|ky|got|superagent|request|agent|nock)$/i;

/** Points for words in a route's path, else in its line, else in its file's name. */
const SCORES: readonly (readonly [RegExp, number, number, number])[] = [
  [/web_?-?hook|\bhook|call_?-?back|notif|postback|\bipn\b|retorno|confirmation|confirmacao/i, 8, 6, 5],
  [/pix|pag(?:amento|to)|payment|charge|cobran/i, 3, 2, 1],
  [/regist|cadastr|creat|criar|config|setup|simul|login|auth|subscri/i, -6, 0, 0],
  [/github|gitlab|slack|stripe|paypal|shopify|twilio|whatsapp|telegram|discord|clerk|sendgrid/i, -20, -4, -4],
];
export const READS_SIGNATURE = /webhook-signature|standardwebhooks|\bnew Webhook\(/i;
const RECEIVER_SCORE = 5;
const HANDLER_CHARACTERS = 2000;

export function languageOf({ path }: SourceFile): Language | undefined {
  const ending = extname(path).slice(1);
  if (/^[cm]?[jt]sx?$/.test(ending) || path === NODE_PROGRAM) return 'js';
  if (ending === 'kt') return 'java';
  return (Object.keys(ROUTES) as Language[]).find((name) => name === ending);
}

/** Finds the POST routes of an application that are likely to receive webhooks, most likely first. */
export function findReceivers(routes: readonly SourceRoute[]): readonly SourceRoute[] {
  return routes.filter(({ score }) => score >= RECEIVER_SCORE).sort((a, b) => b.score - a.score);
}

type Method = 'POST' | 'GET';

/** Finds every route with its complete path. POST routes with parameters are omitted. */
export function findRoutes(files: readonly SourceFile[], method: Method = 'POST'): readonly SourceRoute[] {
  const prefixOf = createPrefixes(files);
  const found = files.flatMap((file) => {
    const own = matchRoutes(file, method);
    return own.flatMap(({ path, offset, client }): SourceRoute[] => {
      const whole = client === undefined ? path : joinPaths(prefixOf(file, client), path);
      if (method === 'POST' && /[:[{<*(]/.test(whole)) return [];
      const offsets = own.map((other) => other.offset).filter((other) => other > offset);
      const text = file.text.slice(offset, Math.min(offset + HANDLER_CHARACTERS, ...offsets));
      const place = `${file.path}:${lineAt(file.text, offset)}`;
      return [{ path: whole, place, file, text, score: scoreOf(file, whole, text) }];
    });
  });
  return [...new Map(found.toReversed().map((route) => [route.path, route])).values()].toReversed();
}

/** Returns the routes of a file; `client` is undefined for complete paths. */
function matchRoutes(file: SourceFile, method: Method) {
  const language = languageOf(file);
  if (language === undefined) return [];
  const { app, pages } = NEXT_ROUTE.exec(file.path)?.groups ?? {};
  const handler = (app ? NEXT_HANDLERS[method] : /export default|module\.exports/).exec(file.text);
  const next = (app ?? pages ?? '').replaceAll(/\/\([^/]*\)/g, '');
  const found = ROUTES[language].flatMap((pattern) =>
    Array.from(file.text.matchAll(pattern))
      .slice(0, MOST_PER_FILE)
      .flatMap(({ index: offset, groups = {} }) => {
        const { path = '', method: word, rest = word ?? method, client = '' } = groups;
        const start = file.text.lastIndexOf('\n', offset - 1) + 1;
        const isComment = /^\s{0,200}(?:\/\/|#|\*)/.test(file.text.slice(start, offset + 1));
        const isDjango = pattern.source.includes('re_path');
        if (isComment || CLIENTS.test(client) || !isFor(method, rest, word)) return [];
        if (isDjango && !/urls\w*\.py$/.test(file.path)) return [];
        return [{ path: path.replaceAll(/^\^|\$$/g, ''), offset, client }];
      }),
  );
  return next === '' || handler === null
    ? found
    : [{ path: next, offset: handler.index, client: undefined }, ...found];
}

/** A Flask route without `methods` is for GET. */
function isFor(method: Method, rest: string, word: string | undefined): boolean {
  if (word === 'all' || rest.toUpperCase().includes(method)) return true;
  return method === 'GET' && word === undefined && !/methods|POST/i.test(rest);
}

function scoreOf(file: SourceFile, path: string, text: string): number {
  const [first = '', second = ''] = text.slice(0, 200).split('\n', 2);
  // Decorators precede their handler; other calls may be split.
  const line = first.startsWith('@') || /[(,]\s*$/.test(first) ? first + second : first;
  const words = SCORES.reduce((sum, [pattern, ...points]) => {
    const at = [path, line, file.path].findIndex((place) => pattern.test(place));
    return sum + (points[at] ?? 0);
  }, 0);
  return words + (READS_SIGNATURE.test(text) ? RECEIVER_SCORE : 0);
}

function joinPaths(...parts: readonly string[]): string {
  const path = `/${parts.join('/')}`.replaceAll(/\/{2,}/g, '/');
  return (parts.at(-1) ?? '').length > 1 ? path : path.replace(/(?<=.)\/$/, '');
}

/** Resolves the prefix of a route from its file and the files that mount it, at most three levels deep. */
function createPrefixes(files: readonly SourceFile[]): (file: SourceFile, client: string) => string {
  const [all = ''] = files.flatMap(({ text }) => GLOBAL_PREFIX.exec(text)?.[1] ?? []);
  const mounts = files.flatMap(listMounts);
  const isAutoloaded = files.some(({ text }) => text.includes('@fastify/autoload'));
  const hasParams = files.some(({ text }) => /\brouteParams:\s{0,9}true\b/.test(text));
  const folderOf = ({ path }: SourceFile) => {
    const { prefix = '' } = (isAutoloaded && AUTOLOADED.exec(path)?.groups) || {};
    return hasParams ? prefix.replaceAll(/(?<=^|\/)_/g, ':') : prefix;
  };
  const prefixOf = (file: SourceFile, client: string, depth = 0): string => {
    const own = OWN_PREFIXES.map((pattern) => pattern.exec(file.text)?.groups).find((groups) => groups);
    const isOwn = [undefined, client].includes(own?.['name']) || client === '';
    const mount = mounts.find(({ mounting, words, stems }) =>
      mounting === file
        ? words.has(client)
        : stems.some((stem) => `/${stemOf(file.path)}`.endsWith(`/${stem}`)),
    );
    const outer =
      mount === undefined || depth > 2
        ? folderOf(file)
        : joinPaths(prefixOf(mount.mounting, '', depth + 1), mount.prefix);
    return joinPaths(outer, isOwn ? (own?.['prefix'] ?? '') : '');
  };
  return (file, client) => joinPaths(file.text.includes('@Controller') ? all : '', prefixOf(file, client));
}

/** Returns the mounts in a file, each with the words of its target and the file stems they may name. */
function listMounts(mounting: SourceFile) {
  const { text } = mounting;
  const mounts = MOUNTS.flatMap((pattern) => Array.from(text.matchAll(pattern), ({ groups = {} }) => groups));
  if (mounts.length === 0) return [];
  const imports = IMPORTS.flatMap((pattern) => Array.from(text.matchAll(pattern))).flatMap(
    ({ groups = {} }) => {
      const stem = resolveImport(mounting, groups['from'] ?? '');
      return (groups['names']?.match(/[\w$]+/g) ?? []).map((name) => [name, stem] as const);
    },
  );
  return mounts.slice(0, MOST_PER_FILE).map(({ prefix = '', target = '' }) => {
    const words = new Set(target.match(/[\w$]+/g));
    const inline = Array.from(target.matchAll(/['"`]([\w./@~-]+)['"`]/g), ([, from = '']) =>
      resolveImport(mounting, from),
    );
    const imported = imports
      .filter(([name]) => words.has(name))
      .flatMap(([name, stem]) => [stem, join(stem, name)]);
    const stems = [...inline, ...imported].filter((stem) => stem !== '' && stem !== '.');
    return { mounting, prefix, words, stems };
  });
}

/** Resolves an import to the path of a file, without its extension. */
function resolveImport(file: SourceFile, from: string): string {
  const isPython = file.path.endsWith('.py');
  const path = isPython ? from.replace(/^\.?/, (dot) => dot && './').replaceAll(/(?<=\w)\./g, '/') : from;
  return stemOf(path.startsWith('.') ? join(dirname(file.path), path) : path.replace(/^[@~]\//, ''));
}

function stemOf(path: string): string {
  const stem = path.replaceAll('\\', '/').replace(/\.(?:[cm]?[jt]sx?|py)$/, '');
  return stem.replace(/\/(?:index|__init__)?$/, '');
}

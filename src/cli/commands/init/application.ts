import { join } from 'node:path';
import { findReceivers, findRoutes, languageOf, READS_SIGNATURE, type SourceRoute } from './routes.js';
import { lineAt, readProjectSources, readSmallFile, type SourceFile } from './sources.js';
import { parseVariableNames } from './env-file.js';

/** The application in a directory, as far as its sources show. */
export interface Application {
  /** Likely webhook receivers, most likely first. */
  readonly receivers: readonly SourceRoute[];
  /** Language of the receiver, or of the first server. */
  readonly language: ReturnType<typeof languageOf>;
  /** Names imported by Python sources. */
  readonly pythonImports: string;
  /** First file that reads webhook headers. */
  readonly reader: string | undefined;
  readonly port: ListenPort;
  /** Starts the application; undefined if unknown. */
  readonly program: string | undefined;
  /** Creates an order. `body` is an example with `ORDER_CODE`, and `shown` the path that returns that order. */
  readonly order:
    | {
        readonly route: SourceRoute;
        readonly body: Readonly<Record<string, string | number>>;
        readonly shown: string | undefined;
        /** The sources name the amount paid, which `check` compares. */
        readonly storesAmount: boolean;
      }
    | undefined;
  /** The `env` setting: variable names of the application, with their sources. */
  readonly env: Readonly<Record<string, string>>;
  readonly makesWithdrawals: boolean;
  /** The project's tests use a sandbox started by another process. */
  readonly needsExec: boolean;
}

interface ListenPort {
  readonly port: string;
  /** File and line, or the framework's default. */
  readonly place: string;
  /** Environment variable that changes the port. */
  readonly variable?: string | undefined;
}

/** What package.json and the environment say; `scripts` are the commands that start the application. */
interface Manifest {
  readonly scripts: string;
  readonly isNext: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Inspects the sources and the names in dotenv files. Never runs code of the project. */
export function detectApplication(folder: string, manifest: Manifest): Application {
  const all = readProjectSources(folder);
  const files = all.filter(({ isTest }) => !isTest);
  const routes = findRoutes(files);
  const receivers = findReceivers(routes);
  const names = readVariableNames(files);
  const port = findPort(folder, files, names, manifest);
  const server = receivers[0]?.file ?? files.find(({ text }) => LISTENS.test(text)) ?? files[0];
  const imports = all
    .filter(({ path }) => path.endsWith('.py'))
    .map(({ text }) => text.match(/^(?:from|import) \w+/gm));
  return {
    receivers,
    language: server && languageOf(server),
    pythonImports: imports.flat().join('\n'),
    reader: files.find(({ text }) => READS_SIGNATURE.test(text))?.path,
    port,
    program: findProgram(files, port.port),
    order: findOrder(
      routes.filter((route) => !receivers.includes(route)),
      findRoutes(files, 'GET'),
      files.some(({ text }) => PAID_AMOUNT.test(text)),
    ),
    makesWithdrawals: files.some(({ text }) => /withdraw|saque/i.test(text)),
    env: mapVariables(folder, names),
    needsExec: all.some(({ isTest, text }) => isTest && /\bSANDBOX_[A-Z]|connectSandbox/.test(text)),
  };
}

const LITERAL_PORTS = [
  /\.listen\(\s{0,40}(?:\{[^}]{0,80}?\bport:\s{0,9})?(\d{2,5})\b/,
  /\bserve\([^)]{0,200}?\bport:\s{0,9}(\d{2,5})\b/,
  /\b(?:app|application|uvicorn)\.run\([^)]{0,200}?\bport\s{0,9}=\s{0,9}(\d{2,5})\b/,
  /\b(?:ListenAndServe|Run|Listen)\(\s{0,9}"[\w.]*:(\d{2,5})"/,
  /\bHTTPServer\(\(['"][^'"]*['"],\s{0,9}(\d{2,5})\)/,
  /^server\.port\s{0,9}=\s{0,9}(\d{2,5})/m,
  /\bset[ (]:port,\s{0,9}(\d{2,5})/,
];
const FALLBACK_PORT = /\bport\b[^\n;]{0,60}?\b(\d{4,5})\b/i;
const LISTENS = /\blisten\(|\bserve\(|\.run\(|ListenAndServe|HTTPServer/;
const SCRIPT_PORT = /(?:--port[= ]|\s-p[= ]?|\bPORT=)(\d{2,5})\b/;
/** fastify-cli prefers the first name. */
const PORT_NAMES = [
  'FASTIFY_PORT',
  'PORT',
  'FLASK_RUN_PORT',
  'APP_PORT',
  'SERVER_PORT',
  'HTTP_PORT',
  'API_PORT',
];
const ENV_PORT =
  /^(?:export[ \t]{1,9})?(?:(?:FASTIFY|FLASK_RUN|APP|SERVER|HTTP|API)_)?PORT=['"]?(\d{2,5})\b/m;
const ENV_FILES = ['.env.local', '.env.development', '.env', '.flaskenv', '.env.example', '.env.sample'];

function findPort(
  folder: string,
  files: readonly SourceFile[],
  names: ReadonlySet<string>,
  { scripts, isNext, env = {} }: Manifest,
): ListenPort {
  const first = (patterns: readonly RegExp[], among: readonly Pick<SourceFile, 'path' | 'text'>[]) => {
    for (const { path, text } of among) {
      const found = patterns.map((pattern) => pattern.exec(text)).find((match) => match !== null);
      const port = found?.[1];
      if (found && port !== undefined) return { port, place: `${path}:${lineAt(text, found.index)}` };
    }
    return undefined;
  };
  const literal = first(LITERAL_PORTS, files);
  if (literal !== undefined) return literal;
  const script = SCRIPT_PORT.exec(scripts)?.[1];
  if (script !== undefined) return { port: script, place: 'package.json' };
  const isFlask = files.some(({ text }) => /\bFlask\(/.test(text));
  const isFastify = /\bfastify start\b/.test(scripts);
  const read = PORT_NAMES.filter((name) => {
    if (isNext || (isFastify && name === 'PORT')) return name === 'PORT';
    return names.has(name) || name.startsWith(isFlask ? 'FLASK' : isFastify ? 'FASTIFY' : '-');
  });
  const [variable] = read;
  const named = read.find((name) => /^\d{2,5}$/.test(env[name] ?? ''));
  if (named !== undefined) return { port: env[named] ?? '', place: `${named} in the environment`, variable };
  const dotenv = ENV_FILES.map((path) => ({ path, text: readSmallFile(join(folder, path)) }));
  const readers = files.filter(({ text }) => LISTENS.test(text) || (variable && text.includes(variable)));
  const isNamed = variable !== undefined && !isNext;
  const found = (isNamed ? first([ENV_PORT], dotenv) : undefined) ?? first([FALLBACK_PORT], readers);
  const fallback = { port: defaultPort(files, isFlask), place: 'default' };
  return { ...(found ?? fallback), ...(variable && { variable }) };
}

function defaultPort(files: readonly SourceFile[], isFlask: boolean): string {
  const languages = new Set(files.map(languageOf));
  if (languages.has('js')) return '3000';
  if (isFlask) return '5000';
  if (languages.has('py') || languages.has('php')) return '8000';
  return languages.has('go') || languages.has('java') ? '8080' : '3000';
}

function findProgram(files: readonly SourceFile[], port: string): string | undefined {
  for (const { path, text } of files) {
    if (path === 'manage.py') return `python3 manage.py runserver ${port}`;
    const [, app] = /^(\w+)(?::\s{0,9}\w+)?\s{0,9}=\s{0,9}(?:FastAPI|Flask)\(/m.exec(text) ?? [];
    const isPython = path.endsWith('.py');
    if (isPython && /^if __name__/m.test(text) && /\.run\(|HTTPServer/.test(text)) return `python3 ${path}`;
    if (isPython && /\bFlask\(/.test(text)) return `python3 -m flask --app ${path} run --port ${port}`;
    if (isPython && app !== undefined)
      return `python3 -m uvicorn ${path.replace(/\.py$/, '').replaceAll('/', '.')}:${app} --port ${port}`;
    if (path === 'main.go') return 'go run .';
    if (/\.[cm]?js$/.test(path) && /\.listen\(|\bserve\(/.test(text)) return `node ${path}`;
  }
  return undefined;
}

const ORDER = [
  /order|pedido|checkout|compra|purchase/i,
  /charge|cobran|pix|pay|pag(?:ar|amento)|donat|doac/i,
];
const NO_ORDER = /status|cancel|refund|withdraw|saque|confirm|hook|callback|login|token/i;
/** Other amounts usually do not change when the order is paid. */
const PAID_AMOUNT = /(?:paid|pago)_?(?:amount|valu?e|valor)|(?:amount|valu?e|valor)_?(?:paid|pago)/i;
export const ORDER_CODE = 'order-1';
export const UNKNOWN_VALUE = 'text';
/** Names of body fields, with example values. */
const EXAMPLES: readonly (readonly [RegExp, string | number])[] = [
  [/amount|valu?e|valor|total|price|preco/i, '10.00'],
  [/e?mail/i, 'maria@example.com'],
  [/phone|fone|celular/i, '+5511999999999'],
  [/cpf|document|tax/i, '52998224725'],
  [/quant|qty|installment|parcela/i, 1],
  [/code|codigo|order|pedido|ref|id$/i, ORDER_CODE],
  [/name|nome|payer|customer/i, 'Maria Silva'],
];
const BODY_FIELDS = [
  /\bbody(?: as [\w.<>]{1,60}\))?\??\.(\w{1,40})/g,
  /\b(?:body|data|payload|form|json|get_json\(\))(?:\.get\(|\[)['"](\w{1,40})['"]/g,
];
const BODY_NAMES =
  /\{([^{}]{1,300})\}(?::[^=\n]{1,60})?\s{0,9}=\s{0,9}(?:await\s{1,9}|JSON\.parse\(\s{0,9})?(?:\w+\.)?(?:body|req\.json|request\.json)\b/g;

/** The last part of a path, in the syntax of each framework. */
const PARAMETER = /^(?::|\{|\[|<(?:\w{1,20}:)?)(\w{1,40})[}\]>]?(\/?)$/;

function findOrder(
  routes: readonly SourceRoute[],
  readable: readonly SourceRoute[],
  storesAmount: boolean,
): Application['order'] {
  const likely = routes.filter(({ path }) => !NO_ORDER.test(path));
  const route = ORDER.flatMap((pattern) => likely.filter(({ path }) => pattern.test(path)))[0];
  if (route === undefined) return undefined;
  const { file, text } = route;
  const lists = Array.from(text.matchAll(BODY_NAMES), ([, list = '']) => list.split(','));
  const names = [
    ...lists.flat().flatMap((name) => /\w+/.exec(name)?.[0] ?? []),
    ...BODY_FIELDS.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name = '']) => name)),
  ];
  const isNumber = /toFixed|\.2f|float|Number\(/i.test(file.text);
  const body = names.map((name) => {
    const value = EXAMPLES.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN_VALUE;
    return [name, value === '10.00' && isNumber ? 10 : value];
  });
  const start = `${route.path.replace(/\/$/, '')}/`;
  const shown = readable.flatMap(({ path }) => {
    const [, name, end] = (path.startsWith(start) && PARAMETER.exec(path.slice(start.length))) || [];
    // Another parameter is probably an id that the application generates.
    const isCode = body.some(([field, value]) => field === name && value === ORDER_CODE);
    return isCode ? [start + ORDER_CODE + end] : [];
  })[0];
  return { route, body: Object.fromEntries(body) as Record<string, string | number>, shown, storesAmount };
}

const READ_NAMES = [
  /\b(?:process|import\.meta|Bun)\.env(?:\.|\[['"])(\w{1,80})/g,
  /\b(?:getenv|environ|environ\.get|Getenv|LookupEnv|ENV|ENV\.fetch|env)[[(]\s{0,9}['"](\w{1,80})['"]/g,
];

function readVariableNames(files: readonly SourceFile[]): ReadonlySet<string> {
  const names = files.flatMap(({ text }) => [
    ...READ_NAMES.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name = '']) => name)),
    ...Array.from(
      text.matchAll(/\{([^{}]{1,1000})\}\s{0,9}=\s{0,9}process\.env\b/g),
      ([, list = '']) => list.match(/\w+/g) ?? [],
    ).flat(),
  ]);
  return new Set(names.filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name)));
}

const OWN =
  /(?:^|_)(?:PIX|PAY|PAYMENTS?|PAGAMENTOS?|PSP|GATEWAY|PROVIDER|WEBHOOKS?|KYC|CHARGES?|COBRANCAS?)(?:_|$)/;
const FOREIGN =
  /STRIPE|PAYPAL|GITHUB|GITLAB|SLACK|SHOPIFY|TWILIO|WHATSAPP|TELEGRAM|DISCORD|AWS|GOOGLE|FACEBOOK|MERCADO/;
/** Endings of variable names, with the variables of the sandbox. The first match counts. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/KYC.*PUBLISHABLE_KEY$/, 'SANDBOX_KYC_PUBLISHABLE_KEY'],
  [/KYC.*(?:TOKEN|KEY|SECRET)$/, 'SANDBOX_KYC_TOKEN'],
  [/KYC.*HOSTED.*URL$/, 'SANDBOX_KYC_HOSTED_URL'],
  [/KYC.*URL$/, 'SANDBOX_KYC_API_URL'],
  [/(?:WEBHOOKS?|WHSEC).*(?:SECRET|KEY)$/, 'SANDBOX_WEBHOOK_SECRET'],
  [/(?:(?:SIGNING|HMAC|SIGNATURE).*(?:SECRET|KEY)|SECRET(?:_KEY)?)$/, 'SANDBOX_SIGNING_SECRET'],
  [/(?:TOKEN|API_?KEY|ACCESS_KEY)$/, 'SANDBOX_TOKEN'],
  [/ACCOUNT(?:_ID)?$/, 'SANDBOX_ACCOUNT_ID'],
  [/(?:URL|ENDPOINT|HOST)$/, 'SANDBOX_BASE_URL'],
];
/** URLs of the application itself. */
const NO_API_URL = /(?:WEBHOOK|CALLBACK|RETURN|REDIRECT|NOTIF|PUBLIC|SUCCESS|CANCEL).*(?:URL|ENDPOINT|HOST)$/;
/** The end of a base URL may contain the start of each path of the API. */
const API_PATH = /^\w+=['"]?https?:\/\/[^/\s'"]+(\/api(?:\/public(?:\/v1)?)?)\/?['"]?\s{0,200}$/;

/** Maps the application's variable names, from dotenv files or else the sources. Reads values only of examples. */
function mapVariables(folder: string, read: ReadonlySet<string>): Readonly<Record<string, string>> {
  const texts = ['.env.example', '.env.sample', '.env'].map((name) => readSmallFile(join(folder, name)));
  const lines = texts.slice(0, 2).join('\n').split('\n');
  const names = new Set([...parseVariableNames(texts.join('\n')), ...read]);
  const own = [...names].filter(
    (name) => name.length <= 80 && OWN.test(name) && !name.startsWith('SANDBOX_'),
  );
  const mapped = own.flatMap((name) => {
    const meaning = MEANINGS.find(([pattern]) => pattern.test(name))?.[1];
    if (meaning === undefined || FOREIGN.test(name) || NO_API_URL.test(name)) return [];
    const suffix = lines
      .map((line) => (line.startsWith(`${name}=`) ? API_PATH.exec(line)?.[1] : undefined))
      .find(Boolean);
    return [[name, meaning.endsWith('BASE_URL') && suffix ? `{${meaning}}${suffix}` : meaning]];
  });
  return Object.fromEntries(mapped) as Record<string, string>;
}

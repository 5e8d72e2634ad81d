/** What every room may use: the words and numbers of the contract, and functions of texts. */
const WORDS = ['contract', 'text'];
/** Pure functions of the core, none of which changes a world. */
const CORE_WORDS = ['core/ids', 'core/identity/session', 'core/payments/ledger'];
const CLI_PACKAGES = ['commander', 'chalk', '@inquirer/prompts', 'node:'];

/**
 * The rooms of `src`, from the ground up, and what each may import beside itself. An entry is a room, one file of a room
 * (`core/time`), either of them for its types alone (`type core`), or a package (`node:` stands for all of Node).
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  schema: ['contract', 'text/closest'],
  contract: [],
  text: ['contract', 'fastest-levenshtein'],
  core: [...WORDS, 'schema'],
  signing: ['type contract', 'text/urls', 'type core', 'copies', 'node:crypto'],
  clock: [],
  copies: [],
  folders: ['node:'],
  child: ['contract', 'delivery/abort', 'node:'],
  delivery: [...WORDS, 'type core', 'signing', 'clock', 'node:'],
  store: [...WORDS, 'type core', 'folders', 'lowdb', 'node:'],
  sandbox: [...WORDS, 'schema', 'core', 'signing', 'clock', 'delivery', 'store', 'qr', 'node:'],
  http: [...WORDS, 'schema', 'core', 'signing', 'delivery', 'sandbox', 'hono', '@hono/node-server', 'node:'],
  shapes: ['type contract', 'type core', 'type sandbox', 'type http', 'type client/routes'],
  client: [
    ...WORDS,
    'folders',
    'copies',
    'type shapes',
    'type core',
    'type http',
    'type sandbox',
    'type delivery',
    'node:',
  ],
  console: [
    ...WORDS,
    'core/identity/session',
    'client/control',
    'type client',
    'type http',
    'type sandbox',
    'sandbox/timeline/filter',
    'hono',
  ],
  tunnel: ['text/urls', 'localtunnel', 'node:'],
  config: [...WORDS, 'schema', 'folders', 'type core', 'node:'],
  scenario: [
    ...WORDS,
    'schema',
    'client/control',
    'client/listener',
    'type client',
    'core',
    'type http',
    'type delivery',
    'signing',
  ],
  check: [
    ...WORDS,
    'schema',
    'client/control',
    'client/listener',
    'type client',
    'core/resources/resources',
    'core/resources/serialize',
    'type core',
    'type http',
    'sandbox/qr/image',
    'signing',
    'child',
    'delivery',
    'node:',
  ],
  explore: [
    ...WORDS,
    'client/control',
    'type client',
    'type http',
    'folders',
    'check/probe',
    'delivery',
    'node:',
  ],
  cli: [
    ...WORDS,
    'child',
    'folders',
    ...CORE_WORDS,
    'type core',
    'signing',
    'delivery',
    'sandbox',
    'http',
    'client',
    'config',
    'tunnel',
    'scenario',
    'check',
    'explore',
    'schema',
    ...CLI_PACKAGES,
  ],
  testing: [
    ...WORDS,
    'schema',
    ...CORE_WORDS,
    'type core',
    'signing',
    'sandbox',
    'http',
    'type shapes',
    'client',
    'child',
    'delivery',
    'copies',
    'check',
    'explore',
    '@jest/globals',
    'vitest',
    'node:',
  ],
  index: ['type shapes', 'client/sandbox-error', 'testing'],
};

/** The table of ARCHITECTURE.md. */
export function layersMarkdown(): string {
  const rows = Object.entries(ROOMS).map(([room, allowed]) => {
    const names = allowed.map((name) => `\`${name}\``).join(', ');
    return `| \`${room}\` | ${names === '' ? 'nothing' : names} |`;
  });
  return ['| Room | May import |', '|---|---|', ...rows].join('\n');
}

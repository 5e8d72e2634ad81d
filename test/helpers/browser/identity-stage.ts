import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { CustomerType } from '../../../src/contract/enums.js';
import type { SandboxServer, ServerOptions } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import { START_MS } from '../http/api-client.js';

const SHOP = fileURLToPath(new URL('../../../fixtures/identity/server.mjs', import.meta.url));

/** A sandbox on a port of its own, whose time stands still, and the example shop that uses it. */
export interface Stage extends AsyncDisposable {
  readonly server: SandboxServer;
  /** Where the shop's page is; another origin than the sandbox's. */
  readonly shopUrl: string;
}

export async function openStage(options: ServerOptions = {}): Promise<Stage> {
  const server = await startServer({ port: 0, freezeAt: START_MS, ...options });
  const shop = spawn(process.execPath, [SHOP], {
    env: { ...server.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [shopUrl] = (await once(createInterface(shop.stdout), 'line')) as [string];
  return {
    server,
    shopUrl,
    [Symbol.asyncDispose]: async () => {
      shop.kill();
      await server.close(0);
    },
  };
}

/** A new session as a partner's server would create it; answers the address of its page. */
export function newSession(server: SandboxServer, customerType: CustomerType = 'individual') {
  const { sandbox, url } = server;
  const organizationId = sandbox.world.organizations.rows[0]?.id ?? '';
  const { session } = sandbox.dispatch({
    type: 'session.create',
    organizationId,
    customerType,
    idempotencyKey: null,
    ...sandbox.epoch.newSessionSecrets(),
  });
  return { session, address: `${url}/session/${session.id}` };
}

/** A step takes a moment, and seconds on a machine with other work. */
export const STEP_MS = 30_000;

/** A window with nothing of an earlier one in it, closed with all that it opened. */
export async function withContext<T>(
  browser: Browser,
  options: BrowserContextOptions,
  use: (page: Page, context: BrowserContext) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(STEP_MS);
  try {
    return await use(await context.newPage(), context);
  } finally {
    await context.close();
  }
}

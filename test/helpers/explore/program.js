// The suite as a program: `node program.js` runs the shop at PORT, and its tests against the sandbox of the environment; `node
// program.js ID` runs a shop with a mistake, and the tests that can find it.
import { once } from 'node:events';
import { after, test } from 'node:test';
import { serve } from '@hono/node-server';
import { PLANTS } from './plants.js';
import { Shop } from './shop.js';
import { Bank, SUITE } from './suite.js';

const [id] = process.argv.slice(2);
const { plant, tests = Object.keys(SUITE) } = PLANTS.find((one) => one.id === id) ?? {};
const { env } = process;
const shop = new Shop({ env, plant });
const bank = new Bank((path, init) => fetch(env.SANDBOX_URL + path, init));

/** The shop, and for who explores it: `POST /restart`, and `GET /held/{code}` as probe. */
async function answer(request) {
  const { pathname } = new URL(request.url);
  if (pathname === '/restart') return Response.json(shop.restart() ?? {});
  const [, code] = /^\/held\/(.+)$/.exec(pathname) ?? [];
  return code === undefined ? shop.fetch(request) : Response.json(await shop.holds(code));
}

const server = serve({ fetch: answer, hostname: '127.0.0.1', port: Number(env.PORT) });
await once(server, 'listening');
for (const name of tests) test(name, () => SUITE[name](shop, bank));
after(() => {
  server.close();
  server.closeAllConnections();
});

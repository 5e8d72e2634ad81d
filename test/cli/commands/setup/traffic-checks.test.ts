import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { checkTraffic } from '../../../../src/cli/commands/setup/traffic-checks.js';
import { createSocketClient } from '../../../../src/client/socket.js';
import {
  type CliSandbox,
  cliSandbox,
  LOCAL,
  settledFor,
  settleFor,
  trigger,
} from '../../../helpers/cli/cli-sandbox.js';

async function observe({ server }: CliSandbox) {
  const client = createSocketClient({ url: server.url, token: undefined });
  try {
    return (await checkTraffic(client, new AbortController().signal)).checks;
  } finally {
    client.close();
  }
}

async function receiver(status: number) {
  const server = createServer((_, response) => response.writeHead(status).end('no'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const close = () => (server.closeAllConnections(), server.close());
  return { place: `127.0.0.1:${port}/hook`, url: `http://127.0.0.1:${port}/hook`, [Symbol.dispose]: close };
}

const TRANSACTIONS = '/api/public/v1/accounts/00000000-0000-4000-8000-000000000001/transactions';

describe('the traffic of a sandbox', () => {
  test('names failed deliveries by endpoint and outcome, with the count, the cause and the next command', async () => {
    using shop = await receiver(401);
    await using cli = await cliSandbox(LOCAL);
    const { sandbox } = cli.server;
    await settledFor(cli, shop.url);
    for (let more = 0; more < 2; more += 1) trigger(cli);
    await sandbox.idle();
    const newest = sandbox.world.deliveries.rows.at(-1)?.id ?? '';
    expect((await observe(cli)).deliveries).toEqual([
      {
        status: 'warn',
        message: expect.stringMatching(
          new RegExp(
            `^3 of 3 deliveries to ${shop.place} got 401\\. The receiver rejected a valid webhook \\(401\\)\\. Most likely,`,
          ),
        ),
        advice: `Run \`npx sandbox verify --delivery ${newest?.slice(0, 8)}\`.`,
      },
    ]);
  });

  test('blames an injected fault instead of the receiver', async () => {
    using shop = await receiver(200);
    await using cli = await cliSandbox(LOCAL);
    await cli.run('faults add', { args: ['answer'], options: {} });
    await settledFor(cli, shop.url);
    const [found] = (await observe(cli)).deliveries;
    expect(found).toMatchObject({
      message: expect.stringContaining('got 500. Fault answer:'),
      advice: '`npx sandbox faults list`',
    });
  });

  test('names disabled endpoints, paused deliveries and a missing listener', async () => {
    await using cli = await cliSandbox(LOCAL);
    expect((await observe(cli)).endpoints).toMatchObject([{ status: 'ok' }]);
    trigger(cli);
    expect((await observe(cli)).endpoints).toMatchObject([
      { message: expect.stringContaining('no endpoint or listener') },
    ]);
    const { id } = settleFor(cli, 'http://127.0.0.1:1/hook');
    const { sandbox } = cli.server;
    sandbox.dispatch({ type: 'endpoint.disable', endpointId: id });
    await cli.run('deliveries pause');
    await cli.run('incident start', { args: ['half-down'] });
    expect((await observe(cli)).endpoints).toMatchObject([
      { status: 'warn', advice: `\`npx sandbox endpoints enable ${id}\`` },
      { message: 'Deliveries are paused.' },
      { message: 'Active or scheduled faults: 2, of the incidents half-down.' },
    ]);
  });

  test('names refused requests by outcome with their diagnosis, but not injected responses', async () => {
    await using cli = await cliSandbox();
    const { server } = cli;
    const get = async (path: string) =>
      (await server.fetch(new Request(server.url + path), {})).headers.get('x-request-id');
    expect((await observe(cli)).requests).toMatchObject([
      { status: 'ok', message: '0 requests, none refused.' },
    ]);
    await get(TRANSACTIONS);
    const id = await get(TRANSACTIONS);
    await get('/api/public/v1/pxi');
    const [unknown, unauthorized] = (await observe(cli)).requests;
    expect(unauthorized?.message).toMatch(
      /^2 of 3 requests got 401 UNAUTHENTICATED, the newest GET \/api\/public\/v1\/accounts\/\S+ \S/,
    );
    expect(unauthorized?.advice).toBe(`\`npx sandbox calls show ${id}\` shows the request.`);
    expect(unknown?.message).toMatch(
      /^1 of 3 requests got 404 NOT_FOUND, the newest GET \/api\/public\/v1\/pxi: /,
    );
    server.sandbox.calls.clear();
    await cli.run('faults add', { args: ['status'], options: { status: '503' } });
    await get(TRANSACTIONS);
    expect((await observe(cli)).requests).toMatchObject([
      { status: 'ok', message: '1 requests, none refused.' },
    ]);
  });
});

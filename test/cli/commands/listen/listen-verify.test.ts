import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { commandNamed, fakeIo, runBody } from '../../../helpers/cli/cli-io.js';
import type { Io } from '../../../../src/cli/program/io.js';
import type { CliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';

/** An application that accepts everything, and counts. */
async function startApp() {
  let received = 0;
  const server = createServer((request, response) => {
    received += 1;
    request.resume().on('end', () => response.end('ok'));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received: () => received,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Listening {
  readonly sandbox: CliSandbox;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly json?: boolean;
  /** Between the listener's registration and the event. */
  readonly before?: (sandbox: CliSandbox) => void;
}

/** Listens until one event has been forwarded and shown; answers what was shown, and how much the application received. */
async function listenOnce({ sandbox, options = {}, json = false, before }: Listening) {
  await using app = await startApp();
  const env = { SANDBOX_URL: sandbox.server.url };
  const { io, stdout, stop } = fakeIo({ env, json, colourLevel: json ? 0 : 1 });
  const { promise: ready, resolve: onReady } = deferred();
  const { promise: shown, resolve: onShown } = deferred();
  const own: Io = {
    ...io,
    note: (text) => {
      if (text.includes('Forwarding')) onReady();
    },
    say: (text) => {
      io.say(text);
      if (!json) onShown();
    },
    emit: (value) => {
      io.emit(value);
      if (json && 'type' in value && value.type === 'attempt') onShown();
    },
  };
  const work = (await commandNamed('listen')).invoke({
    io: own,
    args: [],
    given: { forwardTo: [app.url], ...options },
  });
  await ready;
  before?.(sandbox);
  sandbox.server.sandbox.dispatch({ type: 'trigger', event: 'pix.settled' });
  await shown;
  stop();
  await work;
  return { stdout: stdout(), received: app.received() };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Twice, so that the secret which the listener was told of is not among those that sign. */
function rotateTwice({ server: { sandbox } }: CliSandbox): void {
  const endpoint = [...sandbox.world.endpoints.values()].at(-1);
  for (const byte of [1, 2]) {
    const secret = `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
    sandbox.dispatch({ type: 'endpoint.rotate', endpointId: endpoint?.id ?? '', secret });
  }
}

test('a signature that holds is said so, and dimmed', async () => {
  await using sandbox = await cliSandbox();
  const { stdout, received } = await listenOnce({ sandbox });
  const dimmed = stdout.split('\u001b[2m').map((part) => part.split('\u001b[22m')[0] ?? '');
  expect(dimmed.filter((text) => text.includes('  ✓ signed'))).toHaveLength(1);
  expect(received).toBe(1);
});

test('a secret that was rotated away is a red line, and the delivery is forwarded all the same', async () => {
  await using sandbox = await cliSandbox();
  const { stdout, received } = await listenOnce({ sandbox, before: rotateTwice });
  expect(stdout).toContain(
    '\u001b[31m✗ signature_mismatch: No common mistake explains the signature: the secret differs',
  );
  expect(stdout).not.toContain('✓ signed');
  expect(received).toBe(1);
});

test('is not verified with --skip-verify', async () => {
  await using sandbox = await cliSandbox();
  const options = { skipVerify: true };
  const { stdout } = await listenOnce({ sandbox, options, before: rotateTwice });
  expect(stdout).not.toMatch(/signed|signature_mismatch/);
});

test('as JSON it is true, false or null, and verify takes the line', async () => {
  await using sandbox = await cliSandbox();
  const run = async (listening: Omit<Listening, 'sandbox' | 'json'>) => {
    const { stdout } = await listenOnce({ sandbox, json: true, ...listening });
    const line = stdout.split('\n').find((text) => text.includes('"attempt"')) ?? '';
    return { line, verified: (JSON.parse(line) as { verified: unknown }).verified };
  };
  const good = await run({});
  expect(good.verified).toBe(true);
  expect((await run({ options: { skipVerify: true } })).verified).toBeNull();
  expect((await run({ before: rotateTwice })).verified).toBe(false);
  const options = { delivery: good.line, tolerance: '1h' };
  const { exitCode } = await runBody('verify', { env: { SANDBOX_URL: sandbox.server.url }, options });
  expect(exitCode).toBe(0);
});

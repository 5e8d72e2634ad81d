import { ControlClient, createFetchTransport } from '../client/control.js';
import { SECOND_MS } from '../contract/time.js';
import { createTimeout } from '../delivery/abort.js';
import { startServer } from '../http/server/start.js';
import { parseSandboxOptions } from '../sandbox/options.js';
import { parseJson } from '../text/json.js';
import type { Implementation, WebhookSource } from './implementation.js';
import { openProbeReceiver, type ProbeReceiver } from './receiver.js';

/** Enough withdrawals for a second page of the default size. */
const WITHDRAWALS = 27;
const LARGE_AMOUNT = '600.00';
const ARRIVAL_MS = 10 * SECOND_MS;

/** A sandbox in this process, with a few resources. */
export type SandboxImplementation = Implementation & AsyncDisposable;

/**
 * Starts a sandbox without a port, and creates payments and an endpoint in it. Rejects with a Refusal for
 * invalid assumptions.
 */
export async function openSandboxImplementation(
  assume: Readonly<Record<string, string>>,
  { receives = false }: { readonly receives?: boolean } = {},
): Promise<SandboxImplementation> {
  // Receivers need a real clock. Otherwise the clock stands still once the resources exist, so that no second
  // passes between a signature and its check.
  let stoppedMs: number | undefined;
  const now = () => stoppedMs ?? Date.now();
  const server = await startServer({
    realNow: now,
    // No question shows the late window, and every charge must be payable.
    assume: { ...assume, 'charge.late_window': '1d' },
    strict: true,
    ...parseSandboxOptions({ allowLocalEndpoints: true }),
  });
  const fetch = (target: string, init?: RequestInit) =>
    Promise.resolve(server.fetch(new Request(server.url + target, init), {}));
  const control = new ControlClient(createFetchTransport(server.url, fetch));
  const receiver = receives ? await openProbeReceiver(0) : undefined;
  await createResources(control);
  if (!receives) stoppedMs = Date.now();
  const { env } = server;
  return {
    credentials: {
      tokens: [env.SANDBOX_TOKEN],
      signingSecret: env.SANDBOX_SIGNING_SECRET,
      accountId: env.SANDBOX_ACCOUNT_ID,
      kycToken: env.SANDBOX_KYC_TOKEN,
    },
    skewS: () => 0,
    nowS: () => Math.floor(now() / SECOND_MS),
    remaining: () => ({ requests: Number.POSITIVE_INFINITY, refusedSignatures: Number.POSITIVE_INFINITY }),
    webhooks: receiver && createSource(control, receiver),
    send: async ({ method, target, headers, body }) => {
      const sentMs = now();
      const response = await fetch(target, { method, headers, ...(body === undefined ? {} : { body }) });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: parseJson(await response.text()),
        sentMs,
      };
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await receiver?.[Symbol.asyncDispose]();
    },
  };
}

/** Creates payments on both sides of every threshold, and an endpoint with a delivery that is never attempted. */
async function createResources(control: ControlClient): Promise<void> {
  await control.post('deliveries/pause');
  await control.post('endpoints', { body: { url: 'http://127.0.0.1:9/', events: ['pix.settled'] } });
  for (let count = 0; count < WITHDRAWALS; count += 1) {
    await control.post('withdrawals', { body: count === 0 ? { amount: LARGE_AMOUNT } : {} });
  }
  await control.post('trigger', { body: { type: 'pix.settled', count: 2 } });
}

/** The receiver’s endpoint in the sandbox: a charge is settled, and the clock advances to the retry. */
function createSource(control: ControlClient, receiver: ProbeReceiver): WebhookSource {
  const next = (isWanted?: Parameters<ProbeReceiver['next']>[1]) =>
    receiver.next(createTimeout(ARRIVAL_MS), isWanted);
  const url = `http://127.0.0.1:${receiver.port}/`;
  let waitedMs = 0;
  let first: string | undefined;
  return {
    url,
    pay: async () => {
      await control.post('deliveries/resume');
      const { deliveries } = await control.post('trigger', {
        body: { type: 'pix.settled', until: 'attempted' },
      });
      const delivery = deliveries.find(({ endpoint_url: target }) => target === url);
      waitedMs = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.last_attempt_at ?? '');
    },
    next: async () => {
      const webhook = await next();
      first = webhook.headers['webhook-id'];
      return webhook;
    },
    awaitRetry: async () => {
      await control.post('clock/advance', { body: { by: `${waitedMs}ms` } });
      const webhook = await next(({ headers }) => headers['webhook-id'] === first);
      return { webhook, waitedMs };
    },
  };
}

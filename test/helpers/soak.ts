import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../../src/contract/time.js';
import { EVENT_TYPES } from '../../src/contract/enums.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { startServer } from '../../src/http/server/start.js';
import type { Chance } from './random.js';
import { chanceOf } from './random.js';
import { openCuttingProxy } from './browser/cutting-proxy.js';
import { Listening } from './cli/starting.js';
import type { Received, TestApp } from './e2e/test-app.js';
import { startApp } from './e2e/test-app.js';
import { createWebhookSecret } from '../../src/sandbox/credentials.js';

export interface SoakOptions {
  readonly seconds: number;
  /** The chance of all random moments follows from it. */
  readonly seed: number;
}

/** What came of a soak. `lost` must be empty and `exhausted` zero; the rest shows that something happened at all. */
export interface SoakResult {
  readonly seed: number;
  readonly events: number;
  readonly deliveries: number;
  /** The deliveries that there must be. */
  readonly needed: number;
  /** Attempts that failed in the turmoil. */
  readonly failedAttempts: number;
  readonly receiverRestarts: number;
  readonly listenerRestarts: number;
  /** Deliveries without attempts left when the turmoil was over. */
  readonly exhausted: number;
  /** What is wrong at the end, in words. */
  readonly lost: readonly string[];
}

/** The first retries come within seconds, and the last ones not before the turmoil is over. */
const SANDBOX_RATE = 60;
const WHOLE_SCHEDULE_MS = 45 * HOUR_MS;
const TRIGGER_EVERY_MS = 20;
/** Of the answers, so many in a hundred are 500. */
const REFUSED_PERCENT = 10;
const PATHS = ['/direct', '/listener'] as const;

/** Lets a listener and a receiver die at random moments while events happen, and then looks for what was lost. */
export async function soak({ seconds, seed }: SoakOptions): Promise<SoakResult> {
  const server = await startServer({
    port: 0,
    seed: String(seed),
    policy: { routes: new Map(), allowLocalEndpoints: true },
  });
  const { sandbox } = server;
  const receiver = await RestartingApp.start(chanceOf(seed + 1));
  const wire = await openCuttingProxy(server.port);
  const listener = { deaths: 0, die: wire.cut, stopOvertaking: wire.mend };
  const listening = new Listening(wire.url, { forwardTo: [`${receiver.origin}/listener`], timeout: '2s' });
  try {
    await listening.come('ready');
    addEndpoint(sandbox, `${receiver.origin}/direct`);
    sandbox.setRate(SANDBOX_RATE);
    const isOver = clockOf(seconds);
    const [needed] = await Promise.all([
      triggerUntil(isOver, sandbox, chanceOf(seed + 2)),
      dieUntil(isOver, receiver, chanceOf(seed + 3)),
      dieUntil(isOver, listener, chanceOf(seed + 4)),
    ]);
    await listening.until(() => isConnected(sandbox));
    const { rows } = sandbox.world.deliveries;
    const exhausted = rows.filter(({ status }) => status === 'FAILED').length;
    await sandbox.travel.advanceTo(sandbox.clock.now() + WHOLE_SCHEDULE_MS);
    return {
      seed,
      events: sandbox.world.events.rows.length,
      deliveries: rows.length,
      needed,
      failedAttempts: rows.reduce(
        (sum, { log }) => sum + log.filter(({ error }) => error !== null).length,
        0,
      ),
      receiverRestarts: receiver.deaths,
      listenerRestarts: listener.deaths,
      exhausted,
      lost: lostOf(sandbox, receiver),
    };
  } finally {
    await listening.stop();
    await wire[Symbol.asyncDispose]();
    await receiver.close();
    await server.close(0);
  }
}

function clockOf(seconds: number): () => boolean {
  const endsAt = performance.now() + seconds * 1_000;
  return () => performance.now() >= endsAt;
}

function addEndpoint(sandbox: Sandbox, url: string): void {
  const secret = createWebhookSecret(sandbox.epoch.drawBytes);
  const endpoint = { url, description: null, events: EVENT_TYPES, secret, timeoutMs: 2_000 };
  sandbox.dispatch({ type: 'endpoint.create', appId: sandbox.world.apps.rows[0]?.id ?? '', endpoint });
}

function isConnected({ world }: Sandbox): boolean {
  return [...world.endpoints.values()].some(({ connected }) => connected);
}

/** Makes events; resolves to the number of deliveries that they need: none for the listener while it is away. */
async function triggerUntil(isOver: () => boolean, sandbox: Sandbox, chance: Chance): Promise<number> {
  let needed = 0;
  while (!isOver()) {
    const event = EVENT_TYPES[Math.floor(chance() * EVENT_TYPES.length)] ?? 'pix.settled';
    needed += isConnected(sandbox) ? PATHS.length : 1;
    sandbox.dispatch({ type: 'trigger', event });
    await sleep(TRIGGER_EVERY_MS);
  }
  return needed;
}

interface Mortal {
  deaths: number;
  readonly die: () => Promise<void> | void;
  readonly stopOvertaking: () => Promise<void> | void;
}

async function dieUntil(isOver: () => boolean, one: Mortal, chance: Chance): Promise<void> {
  while (!isOver()) {
    await sleep(200 + chance() * 1_500);
    one.deaths += 1;
    await one.die();
    await sleep(chance() * 400);
    await one.stopOvertaking();
  }
}

/** Says what is not as it must be once everything could be delivered. */
function lostOf({ world }: Sandbox, receiver: RestartingApp): string[] {
  const lost: string[] = [];
  for (const { id, status, attempts, log, lastError } of world.deliveries.rows) {
    if (status !== 'DELIVERED') lost.push(`delivery ${id} is ${status} (${lastError})`);
    if (log.length !== attempts)
      lost.push(`delivery ${id} had ${attempts} attempts and ${log.length} outcomes`);
    if (log.filter(({ error }) => error === null).length > 1)
      lost.push(`delivery ${id} went on after a success`);
  }
  for (const { transport, deliveries } of world.endpoints.values()) {
    const path = transport === 'listener' ? '/listener' : '/direct';
    const seen = receiver.seen.get(path) ?? new Set();
    const unseen = deliveries.filter(({ event }) => !seen.has(event.id));
    lost.push(...unseen.map(({ event }) => `event ${event.id} never came to ${path}`));
  }
  for (const { balanceCents, transactions } of world.accounts.values()) {
    const sum = transactions.reduce(
      (cents, { direction, amountCents }) =>
        cents + BigInt(direction === 'CREDIT' ? amountCents : -amountCents),
      0n,
    );
    if (sum !== balanceCents) lost.push(`the balance is ${balanceCents} and the ledger's sum ${sum}`);
  }
  return lost;
}

/** An application that dies with open connections and comes back under the same address. */
class RestartingApp implements Mortal {
  /** Events that it accepted, by path. */
  readonly seen = new Map<string, Set<string>>();
  deaths = 0;
  readonly #chance: Chance;
  #port = 0;
  #app: TestApp | undefined;

  private constructor(chance: Chance) {
    this.#chance = chance;
  }

  static async start(chance: Chance): Promise<RestartingApp> {
    const app = new RestartingApp(chance);
    await app.stopOvertaking();
    return app;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  #statusFor({ url, headers }: Received): number {
    if (this.#chance() * 100 < REFUSED_PERCENT) return 500;
    const seen = this.seen.get(url) ?? new Set();
    this.seen.set(url, seen.add(String(headers['webhook-id'])));
    return 200;
  }

  async die(): Promise<void> {
    await this.close();
  }

  async stopOvertaking(): Promise<void> {
    this.#app = await startApp((webhook) => this.#statusFor(webhook), this.#port);
    this.#port = this.#app.port;
  }

  async close(): Promise<void> {
    await this.#app?.[Symbol.asyncDispose]();
    this.#app = undefined;
  }
}

import { expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';
import type { Hook } from '../helpers/e2e/e2e-app.js';
import { App } from '../helpers/e2e/e2e-app.js';

/** Holds webhooks until so many have come, and lets them be answered one after the other in the given order. */
class Turnstile {
  readonly #size: number;
  readonly #order: (names: string[]) => string[];
  #waiting = new Map<string, () => void>();

  constructor(size: number, order: (names: string[]) => string[]) {
    this.#size = size;
    this.#order = order;
  }

  /** Resolves when it is this one's turn. */
  async pass(name: string): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.set(name, resolve));
    if (this.#waiting.size === this.#size) void this.#open();
    await turn;
  }

  async #open(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const name of this.#order([...waiting.keys()].toSorted())) {
      waiting.get(name)?.();
      // An answer is on its way before the next one begins.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** How many attempts of each event the first application fails; the next one fails one more, and so on. */
const ROUNDS = 2;
const EVENTS = 3;
const DETERMINED = ['--seed', '7', '--freeze', '2026-01-31T12:00:00Z'];

/** Sends the same commands to a new sandbox; returns its world and what each application got. */
async function run(apps: readonly App[], order: (names: string[]) => string[]) {
  const [first, second, third] = apps as [App, App, App];
  const answered: string[] = [];
  const turnstile = new Turnstile(EVENTS * apps.length, order);
  for (const [index, app] of apps.entries()) {
    app.hooks.length = 0;
    app.answer = async (hook: Hook) => {
      if (hook.ordinal <= ROUNDS) {
        const name = `${index} ${hook.id}`;
        await turnstile.pass(`${hook.ordinal} ${name}`);
        answered.push(name);
      }
      return hook.ordinal <= ROUNDS + index ? 500 : 200;
    };
  }
  using project = new Project();
  const route = `https://shop.example=${second.origin}`;
  await using sandbox = await project.start([...DETERMINED, '--allow-local-endpoints', '--route', route]);
  first.secret = (await project.ask<{ secret: string }>(['endpoints', 'create', first.url])).secret;
  const routed = ['endpoints', 'create', 'https://shop.example/hooks'];
  second.secret = (await project.ask<{ secret: string }>(routed)).secret;
  third.secret = sandbox.env('SANDBOX_WEBHOOK_SECRET');
  await using listener = await project.listen(['--forward-to', third.url]);
  await project.ask(['trigger', 'pix.settled', '--count', String(EVENTS)]);
  await project.ask(['clock', 'advance', '1h']);
  await project.ask(['trigger', 'withdrawal.failed', '--reason', 'AC03', '--count', String(EVENTS)]);
  await project.ask(['kyc', 'create']);
  await project.ask(['clock', 'advance', '45h']);
  const state = await (await fetch(`${sandbox.url}/_sandbox/state`)).text();
  expect((await listener.leave()).exitCode).toBe(130);
  const bodies = apps.map((app) => app.hooks.map(({ id, body }) => `${id} ${body}`).toSorted());
  return { state, bodies, answered };
}

test('the same seed and commands produce the same world and bytes, whatever the order of responses', async () => {
  await using first = await App.start();
  await using second = await App.start();
  await using third = await App.start();
  const apps = [first, second, third];
  const forwards = await run(apps, (names) => names);
  const backwards = await run(apps, (names) => names.toReversed());
  expect(forwards.answered).not.toEqual(backwards.answered);
  expect(backwards.state).toBe(forwards.state);
  expect(backwards.bodies).toEqual(forwards.bodies);
  const attempts = apps.map((_app, index) => 2 * EVENTS * (ROUNDS + index + 1));
  expect(forwards.bodies.map(({ length }) => length)).toEqual(attempts);
  expect(apps.flatMap(({ refusals }) => refusals)).toEqual([]);
});

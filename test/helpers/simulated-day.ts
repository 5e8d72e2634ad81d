import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES } from '../../src/contract/enums.js';
import type { Chance } from './random.js';
import { chanceOf } from './random.js';
import { BIN } from './e2e/e2e.js';

export interface DayOptions {
  readonly seed: number;
  readonly events: number;
  readonly seconds: number;
  /** Finished deliveries that the sandbox keeps. */
  readonly keep: number;
}

/** What was held at one moment. */
export interface Held {
  readonly heapBytes: number;
  /** Charges and withdrawals, and deliveries. */
  readonly rows: number;
}

export interface DayResult {
  readonly made: number;
  readonly arrived: number;
  /** Events that neither arrived, nor are pending, nor were named by retention. */
  readonly lost: readonly string[];
  /** Deliveries that are kept, and those that status says were dropped. */
  readonly kept: number;
  readonly dropped: number;
  readonly receiverRestarts: number;
  readonly advances: number;
  /** After each quarter. */
  readonly held: readonly Held[];
}

/** An hour of sandbox time passes in two minutes. */
const RATE = 30;
const PER_STEP = 50;
/** Steps for which the receiver is away, and the chances in each step that it goes, and that the clock is advanced. */
const AWAY_STEPS = 15;
const AWAY_CHANCE = 0.02;
const ADVANCE_CHANCE = 0.02;

/** A working day of one application: many events to a receiver that is deployed now and then, and a clock that is moved. */
export async function soakDay({ seed, events, seconds, keep }: DayOptions): Promise<DayResult> {
  await using receiver = await Receiver.start();
  await using sandbox = await BuiltSandbox.start(['--seed', String(seed), '--keep-deliveries', String(keep)]);
  await sandbox.post('endpoints', { url: receiver.url, events: EVENT_TYPES });
  await sandbox.post('clock/speed', { rate: RATE });
  const chance = chanceOf(seed);
  const made = new Set<string>();
  const held: Held[] = [];
  const steps = events / PER_STEP;
  const startedAt = performance.now();
  let advances = 0;
  let awayUntil = 0;
  for (let step = 1; step <= steps; step += 1) {
    if (step === awayUntil) await receiver.open();
    if (step > awayUntil && chance() < AWAY_CHANCE) {
      awayUntil = step + AWAY_STEPS;
      receiver.shut();
    }
    for (const id of await trigger(sandbox, chance)) made.add(id);
    if (chance() < ADVANCE_CHANCE) {
      await sandbox.post('clock/advance', { by: '10m' });
      advances += 1;
    }
    if (step % (steps / 4) === 0) held.push(await sandbox.held());
    await sleep(Math.max(0, startedAt + (step / steps) * seconds * 1_000 - performance.now()));
  }
  await receiver.open();
  await sandbox.post('clock/advance', { by: '45h' });
  await sandbox.get('idle');
  const status = await sandbox.status();
  return {
    made: made.size,
    arrived: receiver.arrived.size,
    lost: await lostOf(sandbox, made, receiver.arrived),
    kept: sumOf(status.deliveries),
    dropped: status.retention.dropped_deliveries,
    receiverRestarts: receiver.restarts,
    advances,
    held,
  };
}

async function trigger(sandbox: BuiltSandbox, chance: Chance): Promise<string[]> {
  const type = EVENT_TYPES[Math.floor(chance() * EVENT_TYPES.length)] ?? 'pix.settled';
  const { events } = (await sandbox.post('trigger', { type, count: PER_STEP })) as {
    readonly events: readonly { readonly id: string }[];
  };
  return events.map(({ id }) => id);
}

/** Asks for each event that did not arrive: one that is pending, or that was dropped, is not lost. */
async function lostOf(
  sandbox: BuiltSandbox,
  made: ReadonlySet<string>,
  arrived: ReadonlySet<string>,
): Promise<string[]> {
  const lost: string[] = [];
  for (const id of made) {
    if (arrived.has(id)) continue;
    const said = JSON.stringify(await sandbox.get(`events/${id}`));
    if (!/may have been dropped|"status":"PENDING"/.test(said)) lost.push(said);
  }
  return lost;
}

interface Status {
  readonly charges: Counts;
  readonly withdrawals: Counts;
  readonly deliveries: Counts;
  readonly retention: { readonly dropped_deliveries: number };
}
type Counts = Readonly<Record<string, number>>;

function sumOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The built command, which tells its heap. */
class BuiltSandbox implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #url: string;

  constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(options: readonly string[]): Promise<BuiltSandbox> {
    const args = ['start', '--port', '0', '--json', '--quiet', '--allow-local-endpoints', ...options];
    const child = fork(BIN, args, {
      execArgv: ['--expose-gc', '--require', join(import.meta.dirname, 'soak-heap.cjs')],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    if (child.stdout === null) throw new Error('Expected a pipe.');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { url } = JSON.parse(line) as { readonly url: string };
    return new BuiltSandbox(child, url);
  }

  async get(path: string): Promise<unknown> {
    return (await fetch(`${this.#url}/_sandbox/${path}`)).json();
  }

  async post(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.#url}/_sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async status(): Promise<Status> {
    return (await this.get('status')) as Status;
  }

  async held(): Promise<Held> {
    this.#child.send('heap');
    const [heapBytes] = (await once(this.#child, 'message')) as [number];
    const { charges, withdrawals, deliveries } = await this.status();
    return { heapBytes, rows: sumOf(charges) + sumOf(withdrawals) + sumOf(deliveries) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** Answers 200, except while it is shut: then connections are refused, and those that are open break. */
class Receiver implements AsyncDisposable {
  readonly arrived = new Set<string>();
  restarts = 0;
  readonly #server: Server;
  #port = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      request.resume();
      request.once('end', () => {
        this.arrived.add(String(request.headers['webhook-id']));
        response.end();
      });
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await receiver.open();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/webhooks`;
  }

  async open(): Promise<void> {
    if (this.#server.listening) return;
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  shut(): void {
    this.restarts += 1;
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

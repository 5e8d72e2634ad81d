import { ledgerProblems } from '../../../../src/core/payments/ledger-check.js';
import { exportWorld } from '../../../../src/core/state/export.js';
import { CONTROL_PREFIX } from '../../../../src/text/control-api.js';
import type { SandboxServer } from '../../../../src/http/server/start.js';
import { startServer } from '../../../../src/http/server/start.js';
import type { Sandbox } from '../../../../src/sandbox/sandbox.js';
import { stateFile } from '../../../../src/sandbox/state-file.js';
import type { AnswerValidator } from '../answer-validator.js';
import { answerValidator } from '../answer-validator.js';
import { START_MS } from '../api-client.js';
import { chanceOf } from '../../chance.js';
import type { Unlistened, WireResponse } from '../in-process-http.js';
import { exchange, withoutSockets } from '../in-process-http.js';
import { operationsOf, readDocuments } from '../../openapi/openapi-documents.js';
import { problemOf } from './answers.js';
import { differenceOf } from './difference.js';
import type { Draft, Surroundings, Target } from './draft.js';
import { bytesOf, draftOf, pick } from './draft.js';
import { makeMistakes } from './mistakes.js';

/** Operations that are not called, with the reason. Nothing in the documents ends or stops the process. */
export const EXCLUDED: Readonly<Record<string, string>> = {};

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** Is called after each request, so that a test can plant what must be noticed. */
  readonly meanwhile?: (sandbox: Sandbox, index: number) => void;
}

/** What came of it, so that a test sees that something happened at all. */
export interface FuzzResult {
  /** How often each status was answered; 0 stands for a connection that a fault closed. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly operations: ReadonlySet<string>;
  readonly mistakes: ReadonlySet<string>;
}

const REFRESH_EVERY = 50;
const CONTROL_TOKEN = 'the-control-token';
const MOST_CURSORS = 20;
const DAY = '2d';

/** Sends requests with mistakes to the doors of one sandbox. Throws with seed, number and request when a rule is broken. */
export async function fuzz({ seed, requests, meanwhile }: FuzzOptions): Promise<FuzzResult> {
  const run = await Run.start(seed);
  try {
    for (let index = 0; index < requests; index += 1) {
      if (index % REFRESH_EVERY === 0) await run.refresh();
      await run.send(index);
      meanwhile?.(run.sandbox, index);
    }
    await run.end();
    return run.result;
  } catch (error) {
    if (!(error instanceof BrokenRule) || requests === 1) throw error;
    throw new Error(`${error.message}\n\n${await aloneOf(seed, error.index)}`, { cause: error });
  } finally {
    await run.close();
  }
}

/** Whether the request breaks the rule also as the first one of a sandbox. */
async function aloneOf(seed: number, index: number): Promise<string> {
  const run = await Run.start(seed);
  try {
    await run.refresh();
    await run.send(index);
    return 'Alone, it breaks no rule: it needs requests before it.';
  } catch (error) {
    return `Alone, too:\n${String(error)}`;
  } finally {
    await run.close();
  }
}

class BrokenRule extends Error {
  readonly index: number;

  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}

class Run {
  readonly result = {
    statuses: {} as Record<number, number>,
    operations: new Set<string>(),
    mistakes: new Set<string>(),
  };
  readonly #seed: number;
  readonly #doors: Unlistened<SandboxServer>;
  readonly #targets: readonly Target[];
  readonly #validator: AnswerValidator;
  readonly #controlToken: string | undefined;
  readonly #cursors: string[] = [];
  readonly #bugs: string[] = [];
  /** What was wrong with the ledgers of spoiled states that were taken. */
  readonly #imported = new Set<string>();
  #plain = 0;

  private constructor(
    seed: number,
    doors: Unlistened<SandboxServer>,
    targets: readonly Target[],
    validator: AnswerValidator,
  ) {
    this.#seed = seed;
    this.#doors = doors;
    this.#targets = targets;
    this.#validator = validator;
    this.#controlToken = tokenOf(seed);
    process.on('warning', this.#onWarning);
  }

  static async start(seed: number): Promise<Run> {
    const documents = await readDocuments();
    const targets = [...operationsOf(documents.service), ...operationsOf(documents.control)];
    const options = {
      port: 0,
      seed: String(seed),
      freezeAt: START_MS,
      realNow: () => START_MS,
      controlToken: tokenOf(seed),
      assume: { 'charge.qr_image': 'omit' },
      policy: {
        routes: new Map([['https://refused.example', 'http://127.0.0.1:1']]),
        allowLocalEndpoints: false,
        resolve: () => Promise.reject(new Error('Nobody is asked.')),
      },
    };
    const doors = await withoutSockets(() => startServer(options));
    const wanted = targets.filter(({ operation }) => !(operation.operationId in EXCLUDED));
    return new Run(seed, doors, wanted, await answerValidator());
  }

  get sandbox(): Sandbox {
    return this.#doors.result.sandbox;
  }

  readonly #onWarning = (warning: Error): void => {
    if (warning.name === 'SandboxBug') this.#bugs.push(warning.message);
  };

  async close(): Promise<void> {
    process.off('warning', this.#onWarning);
    await this.#doors.result.close(0);
  }

  /** One request with mistakes, and what must hold after it. */
  async send(index: number): Promise<void> {
    const around = this.#around(index);
    const target = pick(around.chance, this.#targets);
    if (target === undefined) throw new Error('The documents describe nothing.');
    const draft = draftOf(target, around);
    makeMistakes(draft, around.chance);
    const bytes = bytesOf(draft, around);
    const rowsBefore = this.#rows();
    const asked = exchange(this.#doors.connect(), bytes, { end: draft.breaksOff });
    const answer = await asked.catch((error: unknown) => {
      throw this.#failure(index, draft, bytes, String(error));
    });
    const problem =
      problemOf(answer, draft, this.#validator, this.#lastFaults()) ??
      this.#problemOfWorld(draft, answer, rowsBefore) ??
      this.#bugs[0];
    if (problem !== undefined) throw this.#failure(index, draft, bytes, problem);
    this.#note(draft, answer);
  }

  /** Gives the world what requests can be about, and takes away what would make them all alike. */
  async refresh(): Promise<void> {
    const { world } = this.sandbox;
    await this.#control('DELETE', 'faults');
    await this.#control('POST', 'deliveries/resume');
    if (world.charges.rows.length > 400) await this.#control('POST', 'reset', {});
    await this.#control('POST', 'charges', {});
    await this.#control('POST', 'withdrawals', { amount: '1.00' });
    await this.#control('POST', 'kyc/sessions', {});
    await this.#control('POST', 'endpoints', {
      url: `https://refused.example/${this.#plain}`,
      events: ['pix.settled'],
    });
    await this.#control('POST', 'trigger', { type: 'pix.settled' });
    await this.#control('POST', 'state/snapshots', { name: 'before' });
    await this.#control('POST', 'faults', { on: 'delivery', action: 'answer', status: 200 });
  }

  /** When all is over nothing is left: no attempt, no loss, a state that goes out and in, and a clock that runs. */
  async end(): Promise<void> {
    const { sandbox } = this;
    await this.#control('DELETE', 'faults');
    await this.#control('POST', 'deliveries/resume');
    const before = sandbox.clock.now();
    const advanced = await this.#control('POST', 'clock/advance', { by: DAY });
    if (advanced?.status !== 200 || sandbox.clock.now() <= before)
      throw new Error(`${this.#name()}: the clock stands still: ${advanced?.text}`);
    await sandbox.attemptsEnded();
    const open = sandbox.world.deliveries.rows.filter(({ inFlight }) => inFlight);
    if (open.length + sandbox.epoch.openAttempts > 0)
      throw new Error(`${this.#name()}: ${open.length} deliveries are in flight.`);
    // A receiver that is on registers again in the imported world.
    await this.#control('DELETE', 'receiver');
    const state = stateFile({ world: sandbox.world, rate: sandbox.clock.rate });
    const imported = await this.#control('PUT', 'state', state);
    if (imported?.status !== 200)
      throw new Error(`${this.#name()}: its state does not import: ${imported?.text}`);
    const difference = differenceOf(state.world, exportWorld(sandbox.world));
    if (difference !== undefined)
      throw new Error(`${this.#name()}: the imported world differs: ${difference}`);
  }

  #around(index: number): Surroundings {
    return {
      sandbox: this.sandbox,
      chance: chanceOf(this.#seed * 1_000_003 + index),
      cursors: this.#cursors,
      controlToken: this.#controlToken,
      nonce: `nonce-of-request-${index}`,
    };
  }

  /** A request without mistakes. */
  #control(method: string, path: string, body?: unknown): Promise<WireResponse | undefined> {
    this.#plain += 1;
    const text = body === undefined ? '' : JSON.stringify(body);
    const lines = [
      `${method} ${CONTROL_PREFIX}${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      ...(this.#controlToken === undefined ? [] : [`Authorization: Bearer ${this.#controlToken}`]),
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Connection: close',
      '',
      text,
    ];
    return exchange(this.#doors.connect(), Buffer.from(lines.join('\r\n')));
  }

  #rows(): string {
    const { charges, withdrawals, endpoints, sessions, events, apps, faults, origins } = this.sandbox.world;
    // Those of an endpoint go when the listener of an earlier request is found gone.
    const lasting = [...faults.values()].filter(
      ({ match }) => match.on === 'call' || match.endpointId === null,
    );
    return [charges.rows, withdrawals.rows, sessions.rows, events.rows, apps.rows, lasting, origins]
      .map((rows) => rows.length)
      .concat(endpoints.size)
      .join();
  }

  #problemOfWorld(
    { target, mistakes }: Draft,
    answer: WireResponse | undefined,
    rowsBefore: string,
  ): string | undefined {
    const problems = ledgerProblems(this.sandbox.world);
    const isImport = target.operation.operationId === 'importState' && answer?.status === 200;
    // A spoiled state may hold amounts that do not fit together, which the ledger then says.
    if (isImport && mistakes.length > 0) for (const problem of problems) this.#imported.add(problem);
    const problem = problems.find((one) => !this.#imported.has(one));
    if (problem !== undefined) return problem;
    if (answer === undefined || answer.status < 400 || this.#lastFaults().length > 0) return undefined;
    const rows = this.#rows();
    return rows === rowsBefore
      ? undefined
      : `A refused request changed the world from ${rowsBefore} to ${rows}.`;
  }

  /** What faults made of the newest call. */
  #lastFaults(): readonly string[] {
    const [call] = this.sandbox.calls.newest();
    return call?.faults.map(({ action }) => action) ?? [];
  }

  #note({ target, mistakes }: Draft, answer: WireResponse | undefined): void {
    const status = answer?.status ?? 0;
    this.result.statuses[status] = (this.result.statuses[status] ?? 0) + 1;
    if (status >= 200 && status < 300) this.result.operations.add(target.operation.operationId);
    for (const name of mistakes) this.result.mistakes.add(name);
    for (const [, cursor] of answer?.text.matchAll(/"(?:after|before)":"([^"]+)"/g) ?? []) {
      if (cursor !== undefined) this.#cursors.unshift(cursor);
    }
    this.#cursors.splice(MOST_CURSORS);
  }

  #name(): string {
    return `FUZZ_SEED=${this.#seed}`;
  }

  #failure(index: number, draft: Draft, bytes: Buffer, problem: string): BrokenRule {
    const shown = bytes.toString('latin1').slice(0, 3_000);
    const { operationId } = draft.target.operation;
    const mistakes = draft.mistakes.join(', ') || 'no mistake';
    const where = `${this.#name()} FUZZ_REQUESTS=${index + 1}, ${operationId} with ${mistakes}`;
    return new BrokenRule(`${problem}\n\n${where}:\n${shown}`, index);
  }
}

/** Every other sandbox demands its control token. */
function tokenOf(seed: number): string | undefined {
  return seed % 2 === 0 ? CONTROL_TOKEN : undefined;
}

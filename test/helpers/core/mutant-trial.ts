import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { findLedgerProblems } from '../../../src/core/payments/ledger.js';
import { exportWorld } from '../../../src/core/state/export.js';
import { EVENT_TYPES } from '../../../src/contract/enums.js';
import type { DestinationPolicy } from '../../../src/delivery/destination.js';
import { type Answered, chargeBody, type TestApi } from '../http/api-client.js';
import { chanceOf } from '../random.js';
import { identityCall } from '../http/identity-client.js';
import { richState } from './rich-state.js';
import { type Mutant, mutate } from './state-mutator.js';

export interface TrialResult {
  readonly refused: number;
  readonly taken: number;
  /** What is wrong with the importer, in words. */
  readonly problems: readonly string[];
}

/** No name resolves, so that nothing is sent. */
export const NOWHERE: DestinationPolicy = {
  routes: new Map(),
  allowLocalEndpoints: false,
  resolve: () => Promise.resolve([]),
};
/** Real time after which an answer no longer comes. */
const PATIENCE_MS = 30_000;
const LISTS =
  'status clock charges withdrawals events deliveries?status=PENDING deliveries endpoints faults apps logs calls kyc/sessions assumptions env state/snapshots'.split(
    ' ',
  );
const TABLES =
  'organizations|apps|accounts|charges|withdrawals|endpoints|events|deliveries|sessions|faults|agenda';
/** Where something is wrong; what follows says what was expected there. */
const PLACE = new RegExp(`^(?:state|world|head|(?:${TABLES})(?:\\[\\d+\\])?)(?:[.,[][^:]*)?: \\S`);
const WHOLE =
  /^(?:This file is not a sandbox state|The state was written by core version |A key must not be named __proto__|The body is nested deeper)/;

function namesPlace(message: string): boolean {
  return PLACE.test(message) || WHOLE.test(message);
}

/** Faults that take real time. */
const SLOW = new Set(['delay', 'slow', 'reorder']);

/** Puts so many mutants of a rich state into a sandbox; each is refused with its place, or leaves a sandbox that answers. */
export async function tryMutants(api: TestApi, seed: number, count: number): Promise<TrialResult> {
  const chance = chanceOf(seed);
  const state = richState();
  const problems: string[] = [];
  let refused = 0;
  for (let made = 0; made < count; made += 1) {
    const mutant = mutate(state, chance);
    const trial = new Trial(api, mutant);
    const found = await withPatience(trial);
    if (trial.isRefused) refused += 1;
    problems.push(...found.map((problem) => `mutant ${made} (${mutant.what}): ${problem}`));
  }
  return { refused, taken: count - refused, problems };
}

/** Returns what is wrong after a trial, which may throw or hang. */
async function withPatience(trial: Trial): Promise<readonly string[]> {
  const tooLong = AbortSignal.timeout(PATIENCE_MS);
  const late = once(tooLong, 'abort').then(() => [`no answer after ${trial.step}`]);
  return Promise.race([trial.run(), late]).catch((error: unknown) => [
    `${trial.step} threw ${error instanceof Error ? error.stack : String(error)}`,
  ]);
}

class Trial {
  isRefused = false;
  step = 'nothing';
  readonly #api: TestApi;
  readonly #mutant: Mutant;
  readonly #problems: string[] = [];

  constructor(api: TestApi, mutant: Mutant) {
    this.#api = api;
    this.#mutant = mutant;
  }

  async run(): Promise<readonly string[]> {
    const { sandbox } = this.#api;
    const before = sandbox.world;
    const { status, body } = await this.#put(this.#mutant.json);
    if (status !== 200) {
      this.isRefused = true;
      const { message } = body.error;
      if (status !== 400) this.#problems.push(`refused with ${status}: ${message}`);
      if (!namesPlace(message)) this.#problems.push(`refused without a place: ${message}`);
      if (sandbox.world !== before) this.#problems.push('refused, and put in the place of the world');
      return this.#problems;
    }
    const wrongBefore = new Set(findLedgerProblems(sandbox.world));
    await this.#calm();
    await this.#look();
    await this.#act();
    await this.#travel();
    await this.#look();
    const wrong = findLedgerProblems(sandbox.world).filter((problem) => !wrongBefore.has(problem));
    this.#problems.push(...wrong);
    await this.#goRound();
    return this.#problems;
  }

  #put(json: string): Promise<Answered> {
    const headers = { 'content-type': 'application/json' };
    return this.#api.send('PUT', '/_sandbox/state', { body: json, sign: false, caller: null, headers });
  }

  /** Takes away what was asked to go wrong with calls, and what takes real time. */
  async #calm(): Promise<void> {
    for (const { id, match, action } of this.#api.sandbox.world.faults.values()) {
      if (match.on === 'call' || SLOW.has(action))
        await this.#expect(200, this.#api.control('DELETE', `faults/${id}`));
    }
    await this.#expect(200, this.#api.control('POST', 'deliveries/resume'));
  }

  async #look(): Promise<void> {
    const { world } = this.#api.sandbox;
    for (const path of LISTS) await this.#get(`/_sandbox/${path}`);
    for (const table of ['charges', 'withdrawals', 'events', 'deliveries'] as const) {
      for (const { id } of world[table].rows.slice(-4)) await this.#get(`/_sandbox/${table}/${id}`);
    }
    const [app] = world.apps.rows;
    if (app === undefined) return;
    const { scopes, accountId } = app;
    await this.#expect(200, this.#api.call('GET', `/accounts/${accountId}/transactions`));
    if (scopes.includes('withdrawals:read')) await this.#expect(200, this.#api.call('GET', '/withdrawals'));
    if (scopes.includes('webhooks:read'))
      await this.#expect(200, this.#api.call('GET', '/webhook-endpoints'));
  }

  async #act(): Promise<void> {
    const { sandbox } = this.#api;
    const [app] = sandbox.world.apps.rows;
    const code = `mutant-${sandbox.world.charges.rows.length}`;
    const body = chargeBody({ code, account_id: app?.accountId });
    const isAllowed = app?.scopes.includes('pix:write') === true;
    await this.#expect(isAllowed ? 201 : 403, this.#api.call('POST', '/pix', { body }));
    if (isAllowed)
      await this.#expect(200, this.#api.control('POST', `charges/${code}/settle?app=${app?.id}`));
    for (const type of EVENT_TYPES) {
      await this.#expect(200, this.#api.control('POST', 'trigger', { type, app: app?.id }));
    }
    for (const { id } of sandbox.world.sessions.rows)
      await this.#lives(identityCall(this.#api, 'GET', `/sessions/${id}/result`));
    if (sandbox.world.kycEnabled) {
      this.step = 'a new session';
      const created = this.#api.control('POST', 'kyc/sessions', { customer_type: 'individual' });
      await this.#expect(201, created);
    }
    this.step = 'the end of the attempts';
    await sandbox.attemptsEnded();
  }

  async #travel(): Promise<void> {
    const { sandbox } = this.#api;
    const isNearTheEnd = sandbox.world.now > Date.UTC(9999, 11, 29);
    const advanced = this.#api.control('POST', 'clock/advance', { by: '45h' });
    await this.#expect(isNearTheEnd ? 400 : 200, advanced);
    const open = sandbox.world.deliveries.rows.filter(({ inFlight }) => inFlight);
    if (open.length > 0 || sandbox.epoch.openAttempts > 0)
      this.#problems.push(`${open.length} are still in flight`);
  }

  /** What it has become goes out and in again. */
  async #goRound(): Promise<void> {
    const { sandbox } = this.#api;
    const out = await this.#api.open('GET', '/_sandbox/state', { sign: false, caller: null });
    const exported = exportWorld(sandbox.world);
    await this.#expect(200, this.#put(await out.text()));
    // JSON has no -0.
    const asJson = (world: object): unknown => JSON.parse(JSON.stringify(world));
    if (!isDeepStrictEqual(asJson(exportWorld(sandbox.world)), asJson(exported)))
      this.#problems.push('another world came back');
  }

  #get(target: string): Promise<void> {
    return this.#expect(200, this.#api.send('GET', target, { sign: false, caller: null }), target);
  }

  async #expect(status: number, answer: Promise<Answered>, step?: string): Promise<void> {
    this.step = step ?? this.step;
    const { status: got, body } = await answer;
    if (got !== status)
      this.#problems.push(`${this.step}: expected ${status}, got ${got} ${JSON.stringify(body.error)}`);
  }

  async #lives(answer: Promise<Answered>): Promise<void> {
    const { status, body } = await answer;
    if (status >= 500 && body.error.code !== 'SERVICE_UNAVAILABLE')
      this.#problems.push(`${this.step}: got ${status}`);
  }
}

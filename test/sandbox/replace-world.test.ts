import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../src/core/journal.js';
import { Replay } from '../../src/core/journal.js';
import { Refusal } from '../../src/contract/refusals.js';
import { exportWorld } from '../../src/core/state/export.js';
import { importWorld } from '../../src/core/state/import.js';
import { DAY_MS, HOUR_MS } from '../../src/contract/time.js';
import { WELL_KNOWN_CREDENTIALS, createWebhookSecret } from '../../src/sandbox/credentials.js';
import type { JournalPort } from '../../src/sandbox/options.js';
import { Sandbox } from '../../src/sandbox/sandbox.js';
import { readStateFile, createStateFile } from '../../src/sandbox/state-file.js';
import { listenTo, newCharge, settle, startSandbox } from '../helpers/sandbox/sandbox.js';
import { thrownBy } from '../helpers/thrown-by.js';
import { endpointInput, START_MS } from '../helpers/core/world.js';

function flushed(sandbox: Sandbox) {
  return { rate: sandbox.clock.rate, world: importWorld(structuredClone(exportWorld(sandbox.world))) };
}

/** A journal that remembers, and says when it is asked to flush. */
function memoryJournal(): JournalPort & { readonly entries: JournalEntry[] } {
  const entries: JournalEntry[] = [];
  return {
    entries,
    append: (entry) => entries.push(JSON.parse(JSON.stringify(entry)) as JournalEntry),
    flushed: () => Promise.resolve(),
  };
}

describe('a replaced world', () => {
  test('brings its time, and reports that it is not fresh', () => {
    const sandbox = startSandbox();
    newCharge(sandbox);
    const before = flushed(sandbox);
    settle(sandbox);
    const told: boolean[] = [];
    sandbox.onReset((isFresh) => told.push(isFresh));
    sandbox.replaceWorld(before);
    expect(sandbox.world.charges.rows).toHaveLength(1);
    expect(sandbox.clock.now()).toBe(before.world.now);
    sandbox.reset();
    expect(told).toEqual([false, true]);
  });

  test('goes back in time, and continues from there', async () => {
    const sandbox = startSandbox();
    newCharge(sandbox);
    const before = flushed(sandbox);
    await sandbox.travel.advanceTo(START_MS + 2 * DAY_MS);
    sandbox.replaceWorld(before);
    expect(sandbox.world.charges.rows[0]?.status).toBe('PENDING');
    await sandbox.travel.advanceTo(START_MS + DAY_MS);
    expect(sandbox.world.charges.rows[0]?.status).toBe('EXPIRED');
  });

  test('counts its attempts in flight as failed, and retries them', async () => {
    const sandbox = startSandbox();
    listenTo(sandbox, { status: () => undefined });
    settle(sandbox);
    const before = flushed(sandbox);
    expect(before.world.deliveries.rows[0]?.inFlight).toBe(true);
    sandbox.replaceWorld(before);
    const [delivery] = sandbox.world.deliveries.rows;
    expect(delivery).toMatchObject({ inFlight: false, status: 'PENDING', lastError: 'SANDBOX_STOPPED' });
    expect(delivery?.nextAttemptAt).toBe(START_MS + 60_000);
  });

  test('preserves the credentials of the sandbox, and is rejected if another application has them', () => {
    const sandbox = startSandbox();
    const credentials = { ...WELL_KNOWN_CREDENTIALS, token: 'drawn', kycToken: 'drawn-kyc' };
    const other = new Sandbox({ credentials, freezeAt: START_MS });
    other.replaceWorld(flushed(sandbox));
    expect(other.world.appsByToken.get('drawn')?.name).toBe('default');
    expect(other.world.appsByToken.get(WELL_KNOWN_CREDENTIALS.token)).toBeUndefined();
    expect(other.world.organizations.rows[0]?.kycToken).toBe('drawn-kyc');
    const taken = flushed(other);
    const [app] = taken.world.apps.rows;
    if (app !== undefined) taken.world.appsByToken.set(WELL_KNOWN_CREDENTIALS.token, { ...app });
    const before = exportWorld(sandbox.world);
    expect(thrownBy(() => sandbox.replaceWorld(taken), Refusal).message).toMatch(/uses the credentials/);
    expect(exportWorld(sandbox.world)).toEqual(before);
    other.close();
  });

  test('never generates one of its secrets again', () => {
    const sandbox = startSandbox();
    const secret = createWebhookSecret(sandbox.epoch.drawBytes);
    const appId = sandbox.world.apps.rows[0]?.id ?? '';
    sandbox.dispatch({ type: 'endpoint.create', appId, endpoint: { ...endpointInput({}), secret } });
    const state = flushed(sandbox);
    const copy = startSandbox();
    copy.replaceWorld(state);
    expect(createWebhookSecret(copy.epoch.drawBytes)).not.toBe(secret);
  });
});

describe('a journal', () => {
  test('ends when the clock was stopped, however often it was read before', () => {
    const journal = memoryJournal();
    let realMs = START_MS;
    const append = (entry: JournalEntry) => {
      journal.append(entry);
      // The last tick before the clock stops is at the very instant at which it stops.
      if ('rate' in entry && entry.rate === 60) realMs += 1;
    };
    const sandbox = new Sandbox({ seed: 'seed', journal: { ...journal, append }, realNow: () => realMs });
    sandbox.setRate(60);
    sandbox.setRate(0);
    const replay = new Replay();
    for (const entry of journal.entries) replay.entry(entry);
    expect(replay.world.now).toBe(sandbox.world.now);
  });

  test('reproduces the same world and the same bytes of every event, whatever happened', async () => {
    const journal = memoryJournal();
    const sandbox = new Sandbox({ seed: 'seed', freezeAt: START_MS, journal });
    const listener = listenTo(sandbox);
    settle(sandbox);
    await sandbox.idle();
    await sandbox.travel.advanceTo(START_MS + HOUR_MS);
    expect(() => sandbox.dispatch({ type: 'charge.settle', chargeId: 'none' })).toThrow('no charge');
    sandbox.reset();
    settle(sandbox);
    sandbox.replaceWorld(flushed(sandbox));
    await sandbox.travel.advanceTo(START_MS + DAY_MS);
    sandbox.setRate(60);
    sandbox.setRate(0);
    const replay = new Replay();
    for (const entry of journal.entries) replay.entry(entry);
    expect(exportWorld(replay.world)).toEqual(exportWorld(sandbox.world));
    expect(replay.rate).toBe(0);
    const copy = new Sandbox({ freezeAt: START_MS, restored: replay });
    for (const event of sandbox.world.events.rows) {
      const again = copy.world.events.byId.get(event.id);
      expect(again && copy.epoch.bodyOf(again)).toEqual(sandbox.epoch.bodyOf(event));
    }
    const bodies = copy.world.events.rows.map((event) => copy.epoch.bodyOf(event).toString());
    expect(bodies).not.toEqual([]);
    expect(listener.bodies()).toEqual(expect.arrayContaining(bodies));
    copy.close();
    sandbox.close();
  });

  test('records a stopped clock once', async () => {
    const journal = memoryJournal();
    const sandbox = new Sandbox({ seed: 'seed', freezeAt: START_MS, journal });
    await sandbox.travel.advanceTo(START_MS + HOUR_MS);
    const count = journal.entries.length;
    sandbox.dispatch({ type: 'clock.tick' });
    expect(journal.entries).toHaveLength(count);
    expect(journal.entries.at(-1)).toMatchObject({ at: START_MS + HOUR_MS });
    sandbox.close();
  });

  test('a journal does not record the passing of time', () => {
    let now = START_MS;
    const journal = memoryJournal();
    const sandbox = new Sandbox({ realNow: () => now, journal });
    const count = journal.entries.length;
    now += 1_000;
    sandbox.dispatch({ type: 'clock.tick' });
    expect(journal.entries).toHaveLength(count);
    sandbox.close();
  });

  test('records an attempt before it is sent', async () => {
    const order: string[] = [];
    const journal: JournalPort = {
      append: (entry) => order.push('command' in entry ? entry.command.type : 'other'),
      flushed: () => {
        order.push('flushed');
        return Promise.resolve();
      },
    };
    const sandbox = new Sandbox({ freezeAt: START_MS, journal });
    const listener = listenTo(sandbox);
    settle(sandbox);
    await sandbox.idle();
    expect(order.indexOf('flushed')).toBeGreaterThan(order.indexOf('charge.settle'));
    expect(listener.received).toHaveLength(1);
    sandbox.close();
  });
});

describe('a state file', () => {
  test('a state file is read back unchanged', () => {
    const sandbox = startSandbox();
    newCharge(sandbox);
    const state = createStateFile({ world: sandbox.world, rate: 0 });
    const read = readStateFile(JSON.parse(JSON.stringify(state)));
    expect(exportWorld(read.world)).toEqual(exportWorld(sandbox.world));
    expect(read.rate).toBe(0);
  });

  test.each<[string, (state: object) => unknown, RegExp]>([
    ['something else', () => ({ charges: [] }), /not a sandbox state/],
    ['a negative rate', (state) => ({ ...state, rate: -1 }), /state.rate/],
    ['a rate beyond the limit', (state) => ({ ...state, rate: 1e308 }), /state.rate/],
    ['an additional field', (state) => ({ ...state, more: 1 }), /state.more/],
  ])('rejects %s', (_name, change, message) => {
    const state = createStateFile({ world: startSandbox().world, rate: 1 });
    expect(thrownBy(() => readStateFile(change(state)), Refusal).message).toMatch(message);
  });
});

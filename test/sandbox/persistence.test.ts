import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/core/apply.js';
import { exportWorld } from '../../src/core/state/export.js';
import { HOUR_MS, MINUTE_MS } from '../../src/contract/time.js';
import type { Persistence } from '../../src/sandbox/persistence.js';
import { openPersistence, readDataDirectory, replayRecord } from '../../src/sandbox/persistence.js';
import { Sandbox } from '../../src/sandbox/sandbox.js';
import { listenTo, newCharge, settle } from '../helpers/sandbox/sandbox.js';
import { failWhile, system, useSystem } from '../helpers/store/store-system.js';
import { tempFolder } from '../helpers/temp-folder.js';
import { START_MS } from '../helpers/core/world.js';

function loud(message: string): void {
  throw new Error(`Unexpected warning: ${message}`);
}

function open(dataDirectory: string | undefined, recordFile?: string): Promise<Persistence> {
  return openPersistence({ dataDirectory, recordFile, onWarning: loud });
}

function sandboxOn({ restored, journal }: Persistence): Sandbox {
  return new Sandbox({ seed: 'test', freezeAt: START_MS, restored, journal });
}

async function stop(sandbox: Sandbox, persistence: Persistence): Promise<void> {
  sandbox.close();
  await persistence.close({ world: sandbox.world, rate: sandbox.clock.rate });
}

describe('a data directory', () => {
  test('preserves the world between runs, after a clean stop and without one', async () => {
    using folder = tempFolder();
    const directory = join(folder.path, 'data');
    const first = await open(directory);
    const sandbox = sandboxOn(first);
    expect(first.restored).toBeUndefined();
    newCharge(sandbox);
    await stop(sandbox, first);
    const second = await open(directory);
    const again = sandboxOn(second);
    expect(again.world.charges.rows).toHaveLength(1);
    settle(again);
    await again.flushed();
    again.close();
    await second.abandon();
    const third = await open(directory);
    const last = sandboxOn(third);
    expect(exportWorld(last.world)).toEqual(exportWorld(again.world));
    await stop(last, third);
  });

  test('resumes overdue items in order, and counts attempts in flight as failed', async () => {
    using folder = tempFolder();
    const directory = folder.path;
    const first = await open(directory);
    const sandbox = sandboxOn(first);
    listenTo(sandbox, { status: () => undefined });
    settle(sandbox);
    await sandbox.flushed();
    sandbox.close();
    await first.abandon();
    const second = await open(directory);
    const { restored, journal } = second;
    const later = new Sandbox({ restored, journal, freezeAt: START_MS + HOUR_MS });
    await later.idle();
    const [delivery] = later.world.deliveries.rows;
    expect(delivery?.log.map(({ error }) => error)).toEqual(['SANDBOX_STOPPED']);
    expect(delivery).toMatchObject({ status: 'PENDING', nextAttemptAt: START_MS + MINUTE_MS });
    expect(listenTo(later).held).toEqual([delivery]);
    await later.idle();
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 2, lastAttemptAt: START_MS + HOUR_MS });
    await stop(later, second);
  });

  test('starts over if only the beginning of a world was stored', async () => {
    using folder = tempFolder();
    const directory = folder.path;
    const first = await open(directory);
    first.journal.append({ at: START_MS, rate: 0, world: exportWorld(emptyOne()) });
    await first.journal.flushed();
    await first.abandon();
    const second = await open(directory);
    expect(second.restored).toBeUndefined();
    const sandbox = sandboxOn(second);
    newCharge(sandbox);
    await stop(sandbox, second);
    expect((await readDataDirectory(directory, loud))?.world.charges.rows).toHaveLength(1);
  });

  test('preserves the rate of the clock, resets, and replaced worlds', async () => {
    using folder = tempFolder();
    const directory = folder.path;
    const first = await open(directory);
    const sandbox = sandboxOn(first);
    newCharge(sandbox, 'before');
    sandbox.reset();
    newCharge(sandbox, 'after');
    sandbox.setRate(60);
    await sandbox.flushed();
    sandbox.close();
    await first.abandon();
    const flushed = await readDataDirectory(directory, loud);
    expect(flushed?.rate).toBe(60);
    expect(flushed?.world.charges.rows.map(({ code }) => code)).toEqual(['after']);
  });

  test('a data directory is not written by a reader', async () => {
    using folder = tempFolder();
    const directory = folder.path;
    const first = await open(directory);
    const sandbox = sandboxOn(first);
    newCharge(sandbox);
    await stop(sandbox, first);
    const files = () =>
      readdirSync(directory)
        .filter((name) => !name.startsWith('lock'))
        .map((name) => [name, readFileSync(join(directory, name), 'utf8')]);
    const before = files();
    await readDataDirectory(directory, loud);
    expect(files()).toEqual(before);
  });

  test.each([
    ['{"type":"charge.settle","chargeId":"none"}', 'The command charge.settle was rejected: '],
    ['{"type":"charge.explode"}', 'Unknown command "charge.explode".'],
    ['{"type":"constructor"}', 'Unknown command "constructor".'],
  ])(
    'a data directory and a record are rejected with the command %s, naming its line',
    async (command, problem) => {
      using folder = tempFolder();
      const directory = join(folder.path, 'data');
      const record = join(folder.path, 'record.ndjson');
      const first = await open(directory, record);
      const sandbox = sandboxOn(first);
      first.journal.append({ at: START_MS, command: JSON.parse(command) as Command });
      await first.journal.flushed();
      sandbox.close();
      await first.abandon();
      const journal = join(directory, 'journal.ndjson');
      const before = readFileSync(journal, 'utf8');
      const line = before.trimEnd().split('\n').length;
      const place = `ndjson, line ${line}, byte ${before.trimEnd().lastIndexOf('\n') + 1}`;
      const message = `${place}: Expected entry ${line - 1} to be replayed, got ${problem}`;
      await expect(open(directory)).rejects.toThrow(message);
      await expect(replayRecord(record, loud)).rejects.toThrow(message);
      expect(readFileSync(journal, 'utf8')).toBe(before);
    },
  );
});

describe('a running sandbox with a full disk', () => {
  useSystem();

  test('saves everything again, including changes while the snapshot is written', async () => {
    using folder = tempFolder();
    const directory = join(folder.path, 'data');
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const first = await openPersistence({ dataDirectory: directory, onWarning });
    const sandbox = sandboxOn(first);
    const states: (string | null)[] = [];
    first.attach({
      current: () => ({ world: sandbox.world, rate: sandbox.clock.rate }),
      onChange: ({ failure }) => states.push(failure),
    });
    for (let count = 0; count < 20; count += 1) newCharge(sandbox, `before-${count}`);
    await sandbox.flushed();
    failWhile(({ name }) => (name === 'write' ? 'ENOSPC' : undefined));
    newCharge(sandbox, 'unsaved');
    await sandbox.flushed();
    expect(first.state()?.failure).toContain('ENOSPC');
    let changes = 0;
    system.around = async ({ path }, work) => {
      if (/snapshot|journal/.test(path) && changes < 9) {
        changes += 1;
        const next = sandbox.world.charges.rows.find(({ status }) => status === 'PENDING');
        sandbox.dispatch({ type: 'charge.settle', chargeId: next?.id ?? '' });
        newCharge(sandbox, `during-${changes}`);
        if (changes === 2) sandbox.setRate(60);
      }
      return await work();
    };
    while (states.length < 2) {
      system.beat();
      await setImmediate();
    }
    await sandbox.flushed();
    expect(changes).toBe(9);
    expect(states).toEqual([expect.stringContaining('ENOSPC'), null]);
    expect(first.state()?.recovery).toBe(warnings.at(-1));
    sandbox.close();
    await first.abandon();
    const found = await readDataDirectory(directory, loud);
    expect(found && exportWorld(found.world)).toEqual(exportWorld(sandbox.world));
    expect(found?.rate).toBe(60);
  });
});

describe('a record', () => {
  test('replays to the same world', async () => {
    using folder = tempFolder();
    const file = join(folder.path, 'record.ndjson');
    const persistence = await open(undefined, file);
    const sandbox = sandboxOn(persistence);
    settle(sandbox);
    await sandbox.travel.advanceTo(START_MS + HOUR_MS);
    await stop(sandbox, persistence);
    const { world, rate } = await replayRecord(file, loud);
    expect(exportWorld(world)).toEqual(exportWorld(sandbox.world));
    expect(rate).toBe(0);
  });

  test('starts with the world that a data directory contained', async () => {
    using folder = tempFolder();
    const first = await open(join(folder.path, 'data'));
    const sandbox = sandboxOn(first);
    newCharge(sandbox);
    await stop(sandbox, first);
    const second = await open(join(folder.path, 'data'), join(folder.path, 'record.ndjson'));
    const again = sandboxOn(second);
    settle(again);
    await stop(again, second);
    const { world } = await replayRecord(join(folder.path, 'record.ndjson'), loud);
    expect(exportWorld(world)).toEqual(exportWorld(again.world));
  });

  test('a record is reported if it is deleted while written', async () => {
    using folder = tempFolder();
    const file = join(folder.path, 'record.ndjson');
    const warnings: string[] = [];
    const persistence = await openPersistence({
      recordFile: file,
      onWarning: (message) => warnings.push(message),
    });
    const sandbox = sandboxOn(persistence);
    await sandbox.flushed();
    rmSync(file);
    newCharge(sandbox);
    await stop(sandbox, persistence);
    expect(warnings).toEqual([
      expect.stringMatching(/record\.ndjson: The file was deleted.*The recording ends here/),
    ]);
  });

  test('never replaces a file', async () => {
    using folder = tempFolder();
    const file = join(folder.path, 'record.ndjson');
    writeFileSync(file, 'mine');
    await expect(open(undefined, file)).rejects.toThrow(/already exists/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

function emptyOne() {
  const sandbox = new Sandbox({ freezeAt: START_MS });
  sandbox.close();
  const { world } = sandbox;
  return {
    ...world,
    organizations: { byId: new Map(), rows: [], counts: new Map() },
    apps: { byId: new Map(), rows: [], counts: new Map() },
    appsByToken: new Map(),
    accounts: new Map(),
    transactionCount: 0,
  };
}

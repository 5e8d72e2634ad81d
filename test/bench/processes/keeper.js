// Fills a data directory with charges, and times what it costs to keep another one.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { answering } from './answering.js';

const [sources] = process.argv.slice(2);
const { Sandbox } = await import(`${sources}sandbox/sandbox.mjs`);
const { openPersistence } = await import(`${sources}sandbox/persistence.mjs`);

const START_MS = Date.UTC(2026, 0, 1);
const BATCH = 1_000;
const SINGLES = 200;
/** As long as the journal's line of a charge. */
const LINE = Buffer.from(`${'x'.repeat(400)}\n`);

function fail(message) {
  throw new Error(`Unexpected warning: ${message}`);
}

let made = 0;

function createCharge(sandbox) {
  made += 1;
  sandbox.dispatch({
    type: 'charge.create',
    appId: sandbox.world.apps.rows[0].id,
    charge: {
      code: `order-${made}`,
      accountId: sandbox.credentials.accountId,
      amountCents: 12_345,
      payerName: `Maria da Silva ${made}`,
      payerDocument: '52998224725',
      metadata: {},
    },
  });
}

async function usEach(count, work) {
  const startedAt = performance.now();
  await work();
  return ((performance.now() - startedAt) / count) * 1000;
}

/** Charges that are kept one after the other, each waiting for the disk. */
function singlesUs(sandbox) {
  return usEach(SINGLES, async () => {
    for (let index = 0; index < SINGLES; index += 1) {
      createCharge(sandbox);
      await sandbox.kept();
    }
  });
}

/** Charges that reach the disk together. */
function batchUs(sandbox) {
  return usEach(BATCH, async () => {
    for (let index = 0; index < BATCH; index += 1) createCharge(sandbox);
    await sandbox.kept();
  });
}

/** The yardstick: as many lines, each written and synced by itself. */
function plainUs(folder) {
  const file = openSync(join(folder, 'plain'), 'w');
  try {
    return usEach(SINGLES, async () => {
      for (let index = 0; index < SINGLES; index += 1) {
        writeSync(file, LINE);
        fdatasyncSync(file);
      }
    });
  } finally {
    closeSync(file);
  }
}

answering(async ({ directory, folder, count, rounds, isClean }) => {
  const persistence = await openPersistence({ dataDirectory: directory, onWarning: fail });
  const { restored, journal } = persistence;
  const sandbox = new Sandbox({ freezeAt: START_MS, restored, journal });
  made = sandbox.world.charges.rows.length;
  while (made < count - rounds * (SINGLES + BATCH)) createCharge(sandbox);
  await sandbox.kept();
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    measured.push({
      plainUs: await plainUs(folder),
      singleUs: await singlesUs(sandbox),
      batchUs: await batchUs(sandbox),
    });
  }
  sandbox.close();
  if (isClean) await persistence.close({ world: sandbox.world, rate: 0 });
  else await persistence.abandon();
  return { measured, charges: sandbox.world.charges.rows.length };
});

// Fills one world with charges, as parsed from request bodies, and pages through its beginning and all of it.
import { answering } from './answering.js';

const [sources] = process.argv.slice(2);
const { apply } = await import(`${sources}core/apply.mjs`);
const { assume } = await import(`${sources}contract/assumptions.mjs`);
const { SCOPES } = await import(`${sources}contract/scopes.mjs`);
const { seedFromText } = await import(`${sources}core/ids.mjs`);
const { CHARGE } = await import(`${sources}core/input/bodies.mjs`);
const { readBody } = await import(`${sources}core/input/body.mjs`);
const { page } = await import(`${sources}core/page.mjs`);
const { emptyWorld } = await import(`${sources}core/world.mjs`);

const START_MS = Date.UTC(2026, 0, 1);
const ACCOUNT_ID = '00000000-0000-4000-8000-000000000001';
const KEY = { list: 'bench' };
const PAGES_PER_RUN = 2_000;
const CURSORS = 500;
/** Prime, so that the cursors come in no order. */
const STRIDE = 7919;
const WARM_UP = 2_000;

const APP = {
  type: 'app.create',
  name: 'bench',
  token: 'token',
  signingSecret: 'secret',
  scopes: SCOPES,
  accountId: ACCOUNT_ID,
  openingBalanceCents: 0,
};

function newWorld() {
  const world = emptyWorld(seedFromText('bench'), assume({}), START_MS);
  apply(world, APP, START_MS);
  return world;
}

function createCharge(world, number) {
  const body = `{"code":"order-${number}","account_id":"${ACCOUNT_ID}","amount":"123.45","payer_document":"52998224725","payer_name":"Maria da Silva ${number}"}`;
  const command = {
    type: 'charge.create',
    appId: world.apps.rows[0].id,
    charge: readBody(CHARGE, JSON.parse(body)),
  };
  const { refusal } = apply(world, command, START_MS + number);
  if (refusal !== undefined) throw refusal;
}

function usedBytes() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Creates charges until there are so many; the memory that each takes, and the time, parsing included. */
function fill(world, count, emptyBytes) {
  const startedAt = performance.now();
  const first = world.charges.rows.length;
  for (let number = first; number < count; number += 1) createCharge(world, number);
  const createUs = ((performance.now() - startedAt) / (count - first)) * 1000;
  return { bytesPerCharge: (usedBytes() - emptyBytes) / count, createUs };
}

/** Cursors all over the rows, each from a page of one row that has an older one. */
function cursors(world, rows) {
  return Array.from({ length: CURSORS }, (_, index) => {
    const place = 100 + Math.floor(((rows.length - 100) * ((index * STRIDE) % CURSORS)) / CURSORS);
    return page(world, rows.slice(place - 1, place + 1), KEY, { limit: '1' }).after;
  });
}

/** Real time of a page of 50 at places all over the rows, in µs. */
function pageUs(world, rows, places) {
  const startedAt = performance.now();
  for (let turn = 0; turn < PAGES_PER_RUN; turn += 1) {
    const { rows: shown } = page(world, rows, KEY, { limit: '50', after: places[turn % CURSORS] });
    if (shown.length !== 50) throw new Error(`Expected a page of 50 charges, got ${shown.length}.`);
  }
  return ((performance.now() - startedAt) / PAGES_PER_RUN) * 1000;
}

answering(({ counts, rounds }) => {
  fill(newWorld(), WARM_UP, 0);
  const world = newWorld();
  const emptyBytes = usedBytes();
  const filled = counts.map((count) => fill(world, count, emptyBytes));
  const lists = counts.map((count) => world.charges.rows.slice(0, count));
  const places = lists.map((rows) => cursors(world, rows));
  const pagesUs = Array.from({ length: rounds + 1 }, () =>
    lists.map((rows, index) => pageUs(world, rows, places[index])),
  );
  return { filled, pagesUs: pagesUs.slice(1) };
});

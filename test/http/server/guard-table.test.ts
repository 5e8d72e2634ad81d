import { afterAll, beforeAll, expect, test } from 'vitest';
import { servePublic } from '../../../src/http/public/serve-public.js';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { startServer } from '../../../src/http/server/start.js';
import type { GuardCase, Side } from '../../helpers/http/guard-table.js';
import {
  ALLOWED_HOST,
  bytesOfCase,
  expectedOutcome,
  guardTable,
  PUBLIC_HOST,
  REGISTERED_ORIGIN,
} from '../../helpers/http/guard-table.js';
import type { WireEnd, WireResponse } from '../../helpers/http/in-process-http.js';
import { exchange, withoutSockets } from '../../helpers/http/in-process-http.js';
import { inTurn } from '../../helpers/whole.js';

const PLENTY = { calls: 1_000_000, perMs: 1_000 };
const SHOWN = 20;

let server: SandboxServer;
let connect: Readonly<Record<Side, () => WireEnd>>;

beforeAll(async () => {
  const local = await withoutSockets(() =>
    startServer({ port: 0, allowedHosts: [ALLOWED_HOST], origins: [REGISTERED_ORIGIN] }),
  );
  server = local.result;
  const open = await withoutSockets(() =>
    servePublic(server.sandbox, {
      origin: () => `https://${PUBLIC_HOST}`,
      probe: { path: '/probe', token: 'x' },
      limits: { each: PLENTY, total: PLENTY, bodyMs: 30_000 },
    }),
  );
  connect = { local: local.connect, public: open.connect };
});

afterAll(() => server.close(0));

/** What the guards said; whatever a door says itself counts as passed. */
function outcomeOf(answer: WireResponse | undefined): string {
  if (answer === undefined) return 'no answer';
  const isRefusal = answer.headers.get('content-type') === 'application/json';
  if (isRefusal && answer.status === 403) return '403 FORBIDDEN';
  if (isRefusal && answer.status === 415) return '415 UNSUPPORTED_MEDIA_TYPE';
  return answer.status < 500 ? 'pass' : `${answer.status}`;
}

/** The first rows whose outcome differs from the rules. */
async function mismatches(side: Side, rows: readonly GuardCase[]): Promise<string[]> {
  const found: string[] = [];
  for (const row of rows) {
    if (found.length >= SHOWN) break;
    const outcome = outcomeOf(await exchange(connect[side](), bytesOfCase(row)));
    const expected = expectedOutcome(row, side);
    if (outcome !== expected) found.push(`${outcome} instead of ${expected}: ${JSON.stringify(row)}`);
  }
  return found;
}

const DOORS = ['api', 'identity', 'hosted', 'pay', 'sdk', 'control', 'console'] as const;
const LOCAL_TABLES = new Map(DOORS.map((door) => [door, guardTable(door, 'local')]));

/** Every row of the table is tried at a third of the doors. */
test.each(DOORS)('the guards of the door %s answer as the rules say', async (door) => {
  const rows = LOCAL_TABLES.get(door) ?? [];
  expect(rows.length).toBeGreaterThanOrEqual(800);
  const thirds = [0, 1, 2];
  const own = rows.filter((_, index) => inTurn(thirds, index).includes(DOORS.indexOf(door) % thirds.length));
  expect(await mismatches('local', own)).toEqual([]);
});

test('the guards of the public doors answer as the rules say', async () => {
  const tables = DOORS.map((door) => guardTable(door, 'public'));
  const rows = tables[0]?.map((row, index) => tables[index % tables.length]?.[index] ?? row) ?? [];
  expect(rows.length).toBeGreaterThanOrEqual(800);
  expect(await mismatches('public', rows)).toEqual([]);
});

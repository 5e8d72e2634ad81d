import type { World } from '../world.js';
import type { Batches } from './export.js';
import { batches, exportHead, exportLine, exportTables } from './export.js';
import type { WorldView } from './view.js';

/** The JSON text of `exportWorld` at the instant of a view, in pieces of a few rows; some are empty. */
export function* textOfWorld({ world, was }: WorldView): Generator<string, void> {
  yield JSON.stringify(exportHead(world)).slice(0, -1);
  const tables = exportTables(world, was);
  for (const [name, found] of Object.entries<Batches<unknown>>(tables)) {
    yield `,"${name}":[`;
    yield* name === 'accounts' ? textOfAccounts(world, tables.accounts) : textOfRows(found);
    yield ']';
  }
  yield '}';
}

function* textOfRows(found: Batches<unknown>): Generator<string, void> {
  let comma = '';
  for (const batch of found) {
    yield batch.length === 0 ? '' : comma + JSON.stringify(batch).slice(1, -1);
    if (batch.length > 0) comma = ',';
  }
}

/** An account holds its whole ledger, which is too long for one piece. */
function* textOfAccounts(
  world: World,
  found: ReturnType<typeof exportTables>['accounts'],
): Generator<string, void> {
  let comma = '';
  for (const batch of found) {
    for (const { transactions, ...account } of batch) {
      yield `${comma}${JSON.stringify(account).slice(0, -1)},"transactions":[`;
      yield* textOfRows(batches(transactions, (line) => exportLine(world, line)));
      yield ']}';
      comma = ',';
    }
  }
}

export type NumberedRow = { readonly ordinal: number };

/** Stores rows by id and in creation order. A row's ordinal is its index until retention drops rows. */
export interface Table<Row> {
  readonly byId: Map<string, Row>;
  readonly rows: Row[];
  /** Number of rows per status. */
  readonly counts: Map<string, number>;
}

type Counted = Pick<Table<unknown>, 'counts'>;

export function createTable<Row>(): Table<Row> {
  return { byId: new Map(), rows: [], counts: new Map() };
}

export function insertRow<Row extends { readonly id: string; readonly status?: string }>(
  table: Table<Row>,
  row: Row,
): Row {
  table.rows.push(row);
  table.byId.set(row.id, row);
  if (row.status !== undefined) count(table, row.status, 1);
  return row;
}

function count({ counts }: Counted, status: string, change: number): void {
  counts.set(status, (counts.get(status) ?? 0) + change);
}

export function setStatus<Row extends { status: string }>(table: Counted, row: Row, to: Row['status']): void {
  count(table, row.status, -1);
  row.status = to;
  count(table, to, 1);
}

/** Returns the index of the first row with at least this ordinal. */
export function findIndexByOrdinal(rows: readonly NumberedRow[], ordinal: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.ordinal ?? Infinity) < ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the row with this ordinal; undefined if absent or dropped. */
export function getRowAt<Row extends NumberedRow>(rows: readonly Row[], ordinal: number): Row | undefined {
  const found = rows[findIndexByOrdinal(rows, ordinal)];
  return found?.ordinal === ordinal ? found : undefined;
}

/** Lists rows starting at this ordinal. */
export function listRowsFrom<Row extends NumberedRow>({ rows }: Table<Row>, ordinal: number): Row[] {
  return rows.slice(findIndexByOrdinal(rows, ordinal));
}

export function removeRow<Row extends { readonly id: string; readonly status?: string }>(
  table: Table<Row>,
  dropped: ReadonlySet<Row>,
): void {
  for (const { id, status } of dropped) {
    table.byId.delete(id);
    if (status !== undefined) count(table, status, -1);
  }
  removeInPlace(table.rows, (row) => dropped.has(row));
}

/** Removes rows in place, because other code holds the same array. */
export function removeInPlace<Row>(rows: Row[], isGone: (row: Row) => boolean): void {
  let kept = 0;
  for (const row of rows) {
    if (isGone(row)) continue;
    rows[kept] = row;
    kept += 1;
  }
  rows.length = kept;
}

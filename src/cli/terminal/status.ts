import type { Io } from '../program/io.js';
import type { Column } from './text.js';

const COLOURS: Readonly<Record<string, 'green' | 'red' | 'yellow'>> = {
  DELIVERED: 'green',
  SETTLED: 'green',
  FAILED: 'red',
  PENDING: 'yellow',
  PROCESSING: 'yellow',
  ACTIVE: 'green',
  DISABLED: 'yellow',
  CREATED: 'yellow',
  IN_PROGRESS: 'yellow',
  approved: 'green',
  rejected: 'red',
  under_review: 'yellow',
  connected: 'green',
  away: 'yellow',
};

/** A text in the colour of the status that it shows. */
export function paintStatus({ colour }: Pick<Io, 'colour'>, status: string, text = status): string {
  const name = COLOURS[status];
  return name === undefined ? text : colour[name](text);
}

/** The column of a list that shows a status in its colour. */
export function statusColumn<Row extends { readonly status: string }>(io: Io): Column<Row> {
  return {
    title: 'STATUS',
    value: ({ status }) => status,
    paint: (text, { status }) => paintStatus(io, status, text),
  };
}

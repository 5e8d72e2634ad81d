import type { Io } from '../program/io.js';

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

import type { ControlClient } from '../../client/control-client.js';
import type { ClockView, PageView } from '../../http/control/schema.js';
import type { Io } from '../program/io.js';
import type { Column } from './text.js';
import { table } from './text.js';

/** The instant of the sandbox's clock, in milliseconds. */
export async function sandboxNow(client: ControlClient): Promise<number> {
  const { now } = await client.get<ClockView>('clock');
  return Date.parse(now);
}

/** Prints a page of a list: its rows, and how to go on. `columns` is given the sandbox's instant. */
export async function showPage<Row>(
  io: Io,
  client: ControlClient,
  page: PageView<Row>,
  { what, columns }: { what: string; columns: (nowMs: number) => readonly Column<Row>[] },
): Promise<void> {
  io.emit(page);
  if (io.json) return;
  if (page.data.length === 0) io.say(`No ${what}.`);
  else io.say(table(page.data, columns(await sandboxNow(client)), io.columns));
  const { before, after } = page.paging;
  if (before !== null) io.note(`newer: --before ${before}`);
  if (after !== null) io.note(`older: --after ${after}`);
}

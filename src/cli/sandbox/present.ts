import type { ControlClient } from '../../client/control.js';
import type { ListPath, RowOf } from '../../client/routes.js';
import type { PageView } from '../../http/control/schema.js';
import type { Invocation, ValuesOf } from '../program/declaration.js';
import type { Io } from '../program/io.js';
import type { PAGE } from '../program/shared-options.js';
import type { Column } from '../terminal/text.js';
import { table } from '../terminal/text.js';
import { withSandbox } from './find-sandbox.js';

type Body<Invoked> = (invocation: Invoked) => Promise<void>;
type Ask<View, Invoked> = (client: ControlClient, invocation: Invoked) => Promise<View>;
/** The invocation, and the sandbox that was asked. */
type Asked<Invoked> = Invoked & { readonly client: ControlClient };
type Note<View> = (io: Io, view: View) => string;

export async function sandboxNow(client: ControlClient): Promise<number> {
  const { now } = await client.get('clock');
  return Date.parse(now);
}

/** Asks the sandbox and prints its answer as JSON, or as text with a note on stderr. */
export function present<View extends object, Invoked extends Invocation>(
  ask: Ask<View, Invoked>,
  text: (io: Io, view: View, asked: Asked<Invoked>) => string | Promise<string>,
  note: Note<View> = () => '',
): Body<Invoked> {
  return (invocation) =>
    withSandbox(invocation, async (client) => {
      const { io } = invocation;
      const view = await ask(client, invocation);
      io.emit(view);
      if (io.json) return;
      io.say(await text(io, view, { ...invocation, client }));
      const noted = note(io, view);
      if (noted !== '') io.note(noted);
    });
}

/** The same for a text that needs the time of the sandbox's clock. */
export function presentAt<View extends object, Invoked extends Invocation>(
  ask: Ask<View, Invoked>,
  text: (io: Io, view: View, nowMs: number) => string,
  note?: Note<View>,
): Body<Invoked> {
  return present(ask, async (io, view, { client }) => text(io, view, await sandboxNow(client)), note);
}

/** Prints a page of a list: its rows, and the options for the neighbouring pages. */
export function presentPage<
  Path extends ListPath,
  Invoked extends Invocation<unknown, ValuesOf<typeof PAGE>>,
>(
  route: Path,
  filters: (options: Invoked['options']) => Readonly<Record<string, string | undefined>>,
  columns: (io: Io, nowMs: number) => readonly Column<RowOf<Path>>[],
): Body<Invoked> {
  return present(
    (client, { options }) => {
      const { limit, after, before } = options;
      const list: ListPath = route;
      const page = client.get(list, { ...filters(options), limit, after, before });
      return page as Promise<PageView<RowOf<Path>>>;
    },
    async (io, { data }, { client }) =>
      data.length === 0
        ? `No ${route.split('/').at(-1)}.`
        : table(io, data, columns(io, await sandboxNow(client))),
    (_, { paging }) => pageNote(paging),
  );
}

export function pageNote({ before, after }: PageView<unknown>['paging']): string {
  const newer = before === null ? [] : [`newer: --before ${before}`];
  return [...newer, ...(after === null ? [] : [`older: --after ${after}`])].join('\n');
}

import type { AgendaView } from '../../../http/control/schema.js';
import type { BodyOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { presentAt } from '../../sandbox/present.js';
import type { Column } from '../../terminal/text.js';
import { table } from '../../terminal/text.js';
import { instantText, relativeText } from '../../terminal/when.js';
import type { agenda } from './command.js';

type Entry = AgendaView['due'][number];

export const showAgenda: BodyOf<typeof agenda> = presentAt(
  (client, { options: { limit } }) => client.get('agenda', { limit }),
  agendaText,
);

function agendaText(io: Io, { due }: AgendaView, nowMs: number): string {
  if (due.length === 0) return 'Nothing is due.';
  const columns: readonly Column<Entry>[] = [
    { title: 'DUE', value: ({ at }) => relativeText(at, nowMs) },
    { title: 'AT', value: ({ at }) => instantText(at) },
    { title: 'WHAT', value: ({ title }) => title, leastWidth: 20 },
  ];
  return table(io, due, columns);
}

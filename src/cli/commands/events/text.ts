import type { EventLine, EventView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import type { Column } from '../../terminal/text.js';
import { fit, harmless, SHORT_ID, table } from '../../terminal/text.js';
import { deliveryColumns } from '../deliveries/text.js';
import { facts } from '../../terminal/facts.js';
import { ageText, whenText } from '../../terminal/when.js';

export function eventColumns(_: Io, nowMs: number): readonly Column<EventLine>[] {
  return [
    { title: 'ID', value: ({ id }) => id, leastWidth: 'evt_'.length + SHORT_ID },
    { title: 'EVENT', value: ({ type }) => type },
    { title: 'CODE', value: ({ resource }) => resource.code, leastWidth: 8 },
    { title: 'AGE', value: ({ created_at }) => ageText(created_at, nowMs) },
  ];
}

export function eventText(io: Io, event: EventView, nowMs: number): string {
  const { resource, deliveries } = event;
  const head = facts(io, [
    ['event', event.id],
    ['type', event.type],
    [resource.type === 'pix' ? 'charge' : 'withdrawal', `${resource.code} (${resource.id})`],
    ['created', whenText(event.created_at, nowMs)],
  ]);
  const lines = harmless(JSON.stringify(event.payload, null, 2)).split('\n');
  const payload = lines.map((line) => fit(line, io.columns)).join('\n');
  return [head, payload, deliveriesText(io, deliveries, nowMs)].join('\n\n');
}

export function deliveriesText(io: Io, deliveries: EventView['deliveries'], nowMs: number): string {
  if (deliveries.length === 0) return 'No deliveries: no endpoint takes this event.';
  return table(io, deliveries, deliveryColumns(io, nowMs));
}

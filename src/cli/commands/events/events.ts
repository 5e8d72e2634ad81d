import type { BodyOf } from '../../program/declaration.js';
import { presentAt, presentPage } from '../../sandbox/present.js';
import type * as declared from './command.js';
import { deliveriesText, eventColumns, eventText } from './text.js';

export const list: BodyOf<typeof declared.list> = presentPage(
  'events',
  ({ type, app }) => ({ type, app }),
  eventColumns,
);

export const show: BodyOf<typeof declared.show> = presentAt(
  (client, { args }) => client.get('events/:id', { id: args.id }),
  eventText,
);

export const resend: BodyOf<typeof declared.resend> = presentAt(
  (client, { args, options: { endpoint } }) =>
    client.post('events/:id/resend', { id: args.id, body: { endpoint } }),
  (io, { deliveries }, nowMs) => deliveriesText(io, deliveries, nowMs),
);

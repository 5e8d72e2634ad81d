import { DELIVERY_STATUSES } from '../../../contract/transitions.js';
import { EVENT_TYPES } from '../../../core/world.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { Options } from '../../program/io.js';

/** The deliveries that the options are about, as a query. Names nobody knows are usage errors. */
export function deliveryQuery(options: Options): Record<string, string | undefined> {
  const status = options.text('status');
  return {
    status: status === undefined ? undefined : oneOfOrUsage('delivery status', status, DELIVERY_STATUSES),
    event_type: eventType(options),
    endpoint: options.text('endpoint'),
    event: options.text('event'),
  };
}

export function eventType(options: Options): string | undefined {
  const type = options.text('type');
  return type === undefined ? undefined : oneOfOrUsage('event', type, EVENT_TYPES);
}

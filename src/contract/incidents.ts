import type { CallFaultAction, DeliveryFaultAction } from './fault-kinds.js';

/** A fault in the format of the control API. */
interface IncidentFault {
  readonly on?: 'call' | 'delivery';
  readonly action: CallFaultAction | DeliveryFaultAction;
  readonly status?: number;
  readonly delay?: string;
  readonly every?: number;
}

/** A group of faults with a common window. The duration is sandbox time. */
export interface Incident {
  readonly description: string;
  readonly duration: string;
  readonly faults: readonly IncidentFault[];
  /** How an application survives the incident, for `explore`. */
  readonly fix: string;
}

/** Built-in incidents by name. */
export const INCIDENTS: Readonly<Record<string, Incident>> = {
  'api-down': {
    description: 'every API request gets a 503 response',
    duration: '15m',
    faults: [{ action: 'status', status: 503 }],
    fix: 'Store the order first, and resend failed requests later with the same code.',
  },
  'webhooks-delayed': {
    description: 'webhooks are held, and then all are sent together',
    duration: '2h',
    faults: [{ action: 'hold' }],
    fix: 'Do not depend on the arrival time of webhooks: compare overdue orders with the account’s transactions.',
  },
  'sent-twice': {
    description: 'every webhook arrives twice',
    duration: '1h',
    faults: [{ action: 'duplicate' }],
    fix: 'Store each webhook-id under a unique key, and return 200 for duplicates.',
  },
  'slow-api': {
    description: 'every API request gets its response late',
    duration: '15m',
    faults: [{ on: 'call', action: 'delay', delay: '3s' }],
    fix: 'Wait longer for responses, and after a timeout resend the request with the same code.',
  },
  'half-down': {
    description: 'every second API request gets a 503 response, and every second webhook attempt is lost',
    duration: '30m',
    faults: [
      { action: 'status', status: 503, every: 2 },
      { action: 'drop', every: 2 },
    ],
    fix: 'Resend failed requests with the same code, and do not depend on the order of webhooks.',
  },
};

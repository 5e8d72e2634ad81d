import type { Command } from '../../../src/core/apply.js';
import type { CallFaultAction, DeliveryFaultAction } from '../../../src/contract/fault-kinds.js';
import { CALL_FAULTS, DELIVERY_FAULTS } from '../../../src/contract/fault-kinds.js';
import { callFault, deliveryFault } from './faults.js';
import type { CommandMove } from './moves.js';
import { idOf, picked } from './moves.js';
import type { TestWorld } from './world.js';

const CALL_ACTIONS = Object.keys(CALL_FAULTS) as CallFaultAction[];
const DELIVERY_ACTIONS = Object.keys(DELIVERY_FAULTS) as DeliveryFaultAction[];

type FaultMove = CommandMove & { readonly type: `fault.${string}` & Command['type'] };

/** The command that a move about faults is in this world. */
export function faultCommandOf({ world }: TestWorld, { type, pick, pick2, variant }: FaultMove): Command {
  if (type === 'fault.remove')
    return { type, id: variant === 0 ? null : idOf([...world.faults.values()], pick) };
  if (type === 'fault.insert') {
    const { id = '' } = picked([...world.apps.rows], pick) ?? {};
    return { type, appId: id, call: { door: 'api', method: 'GET', path: '/api/public/v1/withdrawals' } };
  }
  if (type === 'fault.on-call') {
    return { type, call: { door: 'api', method: pick % 2 === 0 ? 'GET' : 'POST', path: `/v${variant % 3}` } };
  }
  const chosen = {
    probability: [1, 0.5, 0.1][variant % 3] ?? 1,
    count: [null, 1, 3][pick2 % 3] ?? null,
  };
  const aim =
    variant % 5 === 0 ? { code: '*', resource: (pick % 3) + 1, nth: (pick2 % 3) + 1 } : { nth: undefined };
  if (pick2 % 4 === 0) {
    const match = { path: variant % 2 === 0 ? '/v1' : null, method: pick % 2 === 0 ? null : 'GET', ...aim };
    return { type, fault: callFault(picked(CALL_ACTIONS, pick) ?? 'reset', { ...chosen, match }) };
  }
  const match = {
    eventType: [null, 'pix.*', 'withdrawal.failed'][variant % 3] ?? null,
    endpointId: pick2 % 2 === 0 ? null : idOf([...world.endpoints.values()], pick),
    attempt: variant % 4 === 0 ? null : variant % 4,
    endpointUrl: pick2 % 3 === 0 ? 'https://*' : undefined,
    ...aim,
  };
  return { type, fault: deliveryFault(picked(DELIVERY_ACTIONS, pick) ?? 'drop', { ...chosen, match }) };
}

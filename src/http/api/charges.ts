import type { ChargeInput } from '../../core/payments/charges.js';
import { presentCharge } from '../../core/resources/serialize.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../operation/answer.js';
import type { Caller, RouteRequest } from './route.js';

/** POST /pix (§4.1): 201 for a new charge, 200 with the current charge for a code that already belongs to it. */
export function createCharge(sandbox: Sandbox, { app }: Caller, { body }: RouteRequest<ChargeInput>): Answer {
  const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: body });
  const drawQr = sandbox.world.assumed['charge.qr_image'] === 'full' ? sandbox.drawQr : null;
  return { status: created ? 201 : 200, body: presentCharge(charge, drawQr) };
}

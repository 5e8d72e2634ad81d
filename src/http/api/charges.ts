import { parseChargeBody } from '../../core/inputs.js';
import { presentCharge } from '../../core/present.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Answer } from '../answer.js';
import type { Caller } from './call.js';

/** POST /pix (§4.1): 201 for a new charge, 200 with the charge as it is now for a code that stands for it already. */
export function createCharge(sandbox: Sandbox, { app, json, warn }: Caller): Answer {
  const { assumed } = sandbox.world;
  const { input, unknownFields } = parseChargeBody(json(), assumed);
  for (const field of unknownFields) warn(`The field ${field} is not known and was ignored.`);
  const { charge, created } = sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: input });
  const drawQr = assumed['charge.qr_image'] === 'full' ? sandbox.drawQr : null;
  return { status: created ? 201 : 200, body: presentCharge(charge, drawQr) };
}

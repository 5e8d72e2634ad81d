import { clearInterval, setInterval } from 'node:timers';
import type { Effect } from '../../../core/effects.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import type { DoorContext } from '../../operation/answer.js';
import { onceKept } from '../../streams/kept-stream.js';
import { eventStream } from '../../streams/sse.js';
import type { PayState, PayView } from './pay-state.js';
import { payState } from './pay-state.js';

/** How often the time left on a page is compared with the clock, which may jump without a word; real time. */
const COMPARE_MS = 1_000;
/** Real time by which the page's countdown may be off. */
const TOLERANCE_MS = 1_000;

/** Answers with a stream of what a charge's page shows: its state now and at every change, and `gone` when there is no such charge any more. */
export function followCharge(
  sandbox: Sandbox,
  context: DoorContext,
  chargeId: string,
  view: PayView,
): Response {
  return eventStream(context, (client) => {
    const { send, close } = onceKept(sandbox, client);
    let told: { readonly state: PayState; readonly realAt: number } | undefined;
    const tell = () => {
      const charge = sandbox.world.charges.byId.get(chargeId);
      if (charge === undefined) return send({ gone: true });
      const state = payState(sandbox, charge, view);
      told = { state, realAt: sandbox.realNow() };
      return send(state);
    };
    const compare = setInterval(() => {
      if (told !== undefined && isOff(sandbox, chargeId, told.state, told.realAt)) tell();
    }, COMPARE_MS);
    compare.unref();
    tell();
    return [
      sandbox.subscribe((effects) => {
        if (effects.some((effect) => isAbout(effect, chargeId))) tell();
      }),
      sandbox.timeline.subscribe(({ kind }) => {
        if (kind === 'clock') tell();
      }),
      sandbox.onReset(tell),
      sandbox.onClose(close),
      () => clearInterval(compare),
    ];
  });
}

function isAbout(effect: Effect, chargeId: string): boolean {
  if (effect.type === 'charge') return effect.charge.id === chargeId;
  if (effect.type === 'event') return effect.event.resource.id === chargeId;
  return effect.type === 'delivery' && effect.delivery.event.resource.id === chargeId;
}

/** Whether a page that was told a state some time ago counts down to another instant by now. */
function isOff(
  { clock, world, realNow }: Sandbox,
  chargeId: string,
  state: PayState,
  realAt: number,
): boolean {
  const charge = world.charges.byId.get(chargeId);
  if (charge === undefined || state.leftMs === null) return false;
  if (clock.rate !== state.rate) return true;
  const shownMs = state.leftMs - (realNow() - realAt) * state.rate;
  const leftMs = charge.expiresAt - clock.now();
  return leftMs > 0 && Math.abs(leftMs - shownMs) > TOLERANCE_MS * Math.max(1, state.rate);
}

import type { Console } from '../model/console.js';

const TICK_MS = 250;

/**
 * Draws again when the clock shows another second. Called after each drawing: the timer runs only while the page is seen and
 * sandbox time passes.
 */
export function ticking(model: Console): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  let shown = 0;
  const second = () => {
    const clock = model.clockKnown();
    return clock === undefined ? 0 : Math.floor(model.clockNow(clock) / 1000);
  };
  const tick = () => {
    if (second() !== shown) model.changed();
  };
  const update = () => {
    shown = second();
    const { rate = 0, advancing = false } = model.clockKnown() ?? {};
    const isTicking = rate > 0 && !advancing && model.isConnected && document.visibilityState === 'visible';
    if (isTicking) timer ??= setInterval(tick, TICK_MS);
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };
  document.addEventListener('visibilitychange', () => {
    model.changed();
    update();
  });
  return update;
}

/** In the place of `node:timers`, whose timers no test can move: `vi.mock('node:timers', () => import('…'))` brings these in. */
export const setTimeout = (callback: () => void, ms?: number) => globalThis.setTimeout(callback, ms);
export const clearTimeout = (timer: NodeJS.Timeout | undefined) => globalThis.clearTimeout(timer);

import type { Sandbox } from '../sandbox.js';

/** Adds the faults that there are now again after each reset. */
export function keepFaults(sandbox: Sandbox): void {
  const faults = [...sandbox.world.faults.values()];
  sandbox.onReset((isFresh) => {
    if (!isFresh) return;
    for (const fault of faults) sandbox.dispatch({ type: 'fault.add', fault });
  });
}

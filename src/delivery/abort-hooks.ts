const hooksOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `hook` when the signal aborts; returns a function that removes the hook. A signal shared by 100,000 attempts gets
 * only one listener, because removing a listener from an `AbortSignal` searches all of them. A signal that has already
 * aborted calls nothing, so check `aborted` first.
 */
export function onAbort(signal: AbortSignal, hook: () => void): () => void {
  const hooks = hooksOf.get(signal) ?? listen(signal);
  hooks.add(hook);
  return () => hooks.delete(hook);
}

function listen(signal: AbortSignal): Set<() => void> {
  const hooks = new Set<() => void>();
  hooksOf.set(signal, hooks);
  signal.addEventListener(
    'abort',
    () => {
      for (const hook of hooks) hook();
    },
    { once: true },
  );
  return hooks;
}

const hooksOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `hook` when the signal aborts, and returns what takes the hook off again. A signal shared by a hundred thousand
 * attempts carries one listener: taking one of many off an `AbortSignal` walks through all of them. A signal that has aborted
 * already calls nothing, so look at `aborted` first.
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

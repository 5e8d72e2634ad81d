/**
 * Returns a function that loads code or files on first use. A failed load is forgotten, so that the next call
 * tries again: the process may have been out of file descriptors for a moment.
 */
export function createLoader<Value>(load: () => Promise<Value>): () => Value | Promise<Value> {
  let loading: Promise<Value> | undefined;
  let loaded: { readonly value: Value } | undefined;
  return () => {
    if (loaded !== undefined) return loaded.value;
    loading ??= load().then(
      (value) => {
        loaded = { value };
        return value;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
}

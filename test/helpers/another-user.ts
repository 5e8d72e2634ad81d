import { chownSync } from 'node:fs';
import { vi } from 'vitest';

export const ROOT = 0;
const UID = process.geteuid?.() ?? ROOT;
/** Neither root nor the user of this process. */
export const ANOTHER_USER = UID + 4711;
/** A user who owns none of the paths passed to `giveAway`, and may be root. */
export const NOT_OWNER = UID === ROOT ? ROOT : ANOTHER_USER;

/** Makes root's paths another user's. Only root can; for `NOT_OWNER`, paths of all others are another user's already. */
export function giveAway(...paths: readonly string[]): void {
  if (UID === ROOT) for (const path of paths) chownSync(path, ANOTHER_USER, ANOTHER_USER);
}

/** Changes the user of this process, as far as it knows, until its `using` ends. */
export function asUser(uid: number): Disposable {
  const spy = vi.spyOn(process as Required<typeof process>, 'geteuid').mockReturnValue(uid);
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

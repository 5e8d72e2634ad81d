/**
 * The version of the core's behavior. Raise it with every change that makes an earlier journal replay
 * differently, or an earlier state invalid: files of another version are refused.
 */
export const CORE_VERSION = 3;

/** Refuses a state that another version of the core wrote: its problem, and what to do with it. */
export function otherCoreState(core: unknown, version: unknown) {
  return {
    message:
      `The state was written by version ${String(core)} of the core, in pix-sandbox ` +
      `${String(version)}; this is version ${CORE_VERSION}.`,
    hint: `Use it with npx pix-sandbox@${String(version)}, or start over with a new sandbox.`,
  };
}

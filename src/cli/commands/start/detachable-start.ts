import type { BodyOf } from '../../program/declaration.js';
import { isBackground, reportToStarter } from './background.js';
import type { start } from './command.js';

/** `sandbox start`: in this process, or with `--detach` in a background process. */
export const startSandbox: BodyOf<typeof start> = async (invocation) => {
  const { io, options } = invocation;
  const isOwn = isBackground(io.env);
  if (options.detach && !isOwn) return (await import('./detach.js')).detach(invocation);
  const { runSandbox } = await import('./start.js');
  return isOwn ? reportToStarter(runSandbox, invocation) : runSandbox(invocation);
};

import { isBackground, reportToStarter } from './background.js';
import type { CommandBody } from '../../program/io.js';

/** `sandbox start`: in this process, or with `--detach` in one that stays when this one has left. */
export const start: CommandBody = async (invocation) => {
  const { io, options } = invocation;
  const isOwn = isBackground(io.env);
  if (options.flag('detach') && !isOwn) return (await import('./detach.js')).detach(invocation);
  const { start: run } = await import('./start.js');
  return isOwn ? reportToStarter(run, invocation) : run(invocation);
};

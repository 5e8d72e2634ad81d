import { oneOfOrUsage } from '../../program/closest.js';
import { SCRIPTS, SHELLS } from '../../completion/shells.js';
import type { CommandBody } from '../../program/io.js';

/** `sandbox completion <shell>`: the script, to be kept where the shell looks. */
export const completion: CommandBody = ({ io, args }) => {
  const shell = oneOfOrUsage('shell', args[0] ?? '', SHELLS);
  const script = SCRIPTS[shell];
  io.emit({ shell, script });
  io.say(script.trimEnd());
  return Promise.resolve();
};

import { SCRIPTS } from '../../completion/shells.js';
import { oneOfOrUsage } from '../../program/closest.js';
import type { BodyOf } from '../../program/declaration.js';
import { SHELLS } from '../../program/shared-options.js';
import type { completion } from './command.js';

export const printScript: BodyOf<typeof completion> = async ({ io, args }) => {
  const shell = oneOfOrUsage('shell', args.shell, SHELLS);
  const script = SCRIPTS[shell];
  io.emit({ shell, script });
  io.say(script.trimEnd());
};

import { files } from '../completion/sources.js';
import { text } from '../program/options.js';

export const RESTART = {
  restart: text('command', 'a command that restarts your application, for the fault restart'),
};

/** The options of `start` and `exec` for the faults of a file. */
export const FAULTS = {
  faults: text('path', 'a file of faults, or a directory of results of `explore`', files),
  ...RESTART,
};

import type { ControlClient } from '../../client/control.js';

/** One control call that the console can make, with the command that does the same in a terminal. */
export interface Action {
  /** What happened, for the person who did it. */
  readonly done: string;
  /** After `npx sandbox `; undefined where no command does it. */
  readonly command: string | undefined;
  readonly run: (client: ControlClient) => Promise<unknown>;
}

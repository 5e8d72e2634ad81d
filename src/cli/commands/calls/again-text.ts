import type { ReplayedCall } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { oneLine } from '../../terminal/text.js';
import { callText } from './text.js';

/** A call that was sent again: what was changed, and what came of it. */
export function replayText(io: Io, call: ReplayedCall): string {
  const changed = call.changed.map((line) => `changed  ${oneLine(line, 0)}`);
  return [`replay of ${call.replay_of}`, ...changed, '', callText(io, call)].join('\n');
}

/** What a command lacks, and where its secrets come from if not from the default application. */
export function notesOn(leftOut: readonly string[], app: string | null): string {
  const lines = [
    ...(leftOut.length === 0 ? [] : [`Left out, because the log hides their values: ${leftOut.join(', ')}.`]),
    ...(app === null
      ? []
      : [`The call was one of application ${oneLine(app, 0)}: give the variables its secrets.`]),
  ];
  return lines.join('\n');
}

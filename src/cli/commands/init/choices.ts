import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FILE } from '../../../config/load.js';
import { readForwardTarget } from '../../../text/forward-target.js';
import { shellQuoted } from '../../../text/shell/words.js';
import { parseForwardTarget } from '../listen/forward-target.js';
import { settingsOrRefuse } from '../../program/configured-options.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { init } from './command.js';
import { eventsOf, splitRoute } from '../listen/plan.js';
import type { Project } from './project.js';

export const DEFAULT_TARGET = 'localhost:3000/webhooks';

/** How to set up a project; the events as typed, undefined for all. */
export type Choices = ReturnType<typeof choicesOf>;

/** The choices made by options, with existing settings and what the project looks like for the rest. Throws a usage error for invalid ones. */
export function choicesOf(options: InvocationOf<typeof init>['options'], project: Project, io: Io) {
  const existing = existingSettings(io);
  const [first] = existing.forwardTo;
  const settled = first === undefined ? undefined : splitRoute(first)[1];
  const { forwardTo = settled ?? DEFAULT_TARGET, events, seed, test = project.runner } = options;
  const { framework = project.framework, ci = project.isOnGitHub ? 'github' : 'none' } = options;
  const { start, probe, order } = options;
  parseForwardTarget(forwardTo);
  if (events !== undefined) eventsOf(events);
  const isSettled =
    settled === undefined ? !existsSync(join(project.folder, PROJECT_FILE)) : settled === forwardTo;
  /** What `start` and `exec` need to forward there: nothing where the settings say it. */
  const forwardFlag = isSettled ? '' : ` --forward-to ${shellQuoted(forwardTo)}`;
  return { ...existing, forwardTo, forwardFlag, events, seed, framework, test, ci, start, probe, order };
}

function existingSettings(io: Io) {
  const { values } = settingsOrRefuse({}, io, 'start');
  const valueOf = (name: string) => values.find(({ setting }) => setting.key === name)?.value;
  const textOf = (name: string) => {
    const value = valueOf(name);
    return typeof value === 'string' ? value : undefined;
  };
  const targets = valueOf('forwardTo');
  return { host: textOf('host'), port: textOf('port'), forwardTo: Array.isArray(targets) ? targets : [] };
}

/** Where the application receives, for code; undefined for a path that code would have to quote. */
export function placeOf(forwardTo: string) {
  const read = readForwardTarget(forwardTo);
  if (!('url' in read) || !/^(?:\/|(?:\/[\w.-]+)+)$/.test(read.url.pathname)) return undefined;
  const { href, port, pathname } = read.url;
  return { url: href, port: port === '' ? '3000' : port, route: pathname };
}

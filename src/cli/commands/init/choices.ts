import { readForwardTarget } from '../../../text/forward-target.js';
import { parseForwardTarget } from '../listen/forward-target.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { init } from './command.js';
import { eventsOf } from '../listen/plan.js';
import type { Project } from './project.js';

export const DEFAULT_TARGET = 'localhost:3000/webhooks';

/** How to set up a project; the events as typed, undefined for all. */
export type Choices = ReturnType<typeof choicesOf>;

/** The choices made by options, with what the project looks like for the rest. Throws a usage error for invalid ones. */
export function choicesOf(options: InvocationOf<typeof init>['options'], project: Project) {
  const { forwardTo = DEFAULT_TARGET, events, seed, test = project.runner } = options;
  const { framework = project.framework, ci = project.isOnGitHub ? 'github' : 'none' } = options;
  parseForwardTarget(forwardTo);
  if (events !== undefined) eventsOf(events);
  return { forwardTo, events, seed, framework, test, ci };
}

/** Where the copies of a receiver listen; undefined for a path that code would have to quote. */
export function placeOf(forwardTo: string): { readonly port: string; readonly route: string } | undefined {
  const read = readForwardTarget(forwardTo);
  if (!('url' in read) || !/^(?:\/|(?:\/[\w.-]+)+)$/.test(read.url.pathname)) return undefined;
  return { port: read.url.port === '' ? '3000' : read.url.port, route: read.url.pathname };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseForwardTarget } from '../listen/forward-target.js';
import type { InvocationOf } from '../../program/declaration.js';
import type { TEST_RUNNERS } from '../../program/shared-options.js';
import type { init } from './command.js';
import { eventsOf } from '../listen/plan.js';

export type TestRunner = (typeof TEST_RUNNERS)[number];

export const DEFAULT_TARGET = 'localhost:3000/webhooks';

/** How to set up a project; the events as typed, undefined for all. */
export type Choices = ReturnType<typeof choicesOf>;

/** The choices made by options, with defaults for the rest. Throws a usage error for invalid ones. */
export function choicesOf(options: InvocationOf<typeof init>['options'], folder: string) {
  const { forwardTo = DEFAULT_TARGET, events, seed, test = likelyRunner(folder) } = options;
  parseForwardTarget(forwardTo);
  if (events !== undefined) eventsOf(events);
  return { forwardTo, events, seed, test };
}

/** vitest if the project has it, otherwise Node's own runner. */
export function likelyRunner(folder: string): TestRunner {
  return dependsOn(folder, 'vitest') ? 'vitest' : 'node';
}

/** Whether the project's package.json names a package. */
export function dependsOn(folder: string, name: string): boolean {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    return [manifest.dependencies, manifest.devDependencies].some(
      (group) => typeof group === 'object' && group !== null && Object.hasOwn(group, name),
    );
  } catch {
    // A missing or broken package.json counts as having no dependencies.
    return false;
  }
}

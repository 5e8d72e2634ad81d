import { environmentNameOf, flagOf, SETTINGS } from '../../config/settings.js';
import type { Command } from '../program/declaration.js';
import { exitStatusesOf } from './exit-statuses.js';

export interface EnvironmentFact {
  readonly name: string;
  readonly meaning: string;
}

const FINDING: readonly EnvironmentFact[] = [
  { name: 'SANDBOX_URL', meaning: 'the sandbox to talk to, as --url' },
  { name: 'SANDBOX_CONTROL_TOKEN', meaning: 'the token of its control API, where it needs one' },
];

/** The variables that every command reads. */
export const COLOURS: readonly EnvironmentFact[] = [
  { name: 'NO_COLOR', meaning: 'print without colours, as --no-color' },
  { name: 'FORCE_COLOR', meaning: 'print colours even to a pipe; 0 prints none' },
];

/** The variables that a command reads: those of its options, and those that locate the sandbox. */
export function environmentOf(command: Command): readonly EnvironmentFact[] {
  const { name, environment = [] } = command;
  const twins = SETTINGS.filter(
    ({ commands }) => name === 'config' || commands.some((one) => one === name),
  ).map((setting) => ({ name: environmentNameOf(setting), meaning: `as ${flagOf(setting)}` }));
  const asks = exitStatusesOf(command).some(({ code }) => code === '3');
  return [...twins, ...environment, ...(asks ? FINDING : []), ...COLOURS];
}

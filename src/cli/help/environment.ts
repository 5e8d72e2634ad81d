import { environmentNameOf, flagOf, SETTINGS } from '../../config/settings.js';
import type { Command } from '../program/declaration.js';
import { exitStatusesOf } from './exit-statuses.js';

/** A name in the environment, and what it does. */
export interface EnvironmentFact {
  readonly name: string;
  readonly meaning: string;
}

const WEBHOOK_SECRET = { name: 'SANDBOX_WEBHOOK_SECRET', meaning: 'the secret, where no --secret is given' };
/** What only one command looks at. */
export const OWN: Readonly<Record<string, readonly EnvironmentFact[]>> = {
  start: [
    ...['TOKEN', 'SIGNING_SECRET', 'WEBHOOK_SECRET', 'KYC_TOKEN', 'KYC_PUBLISHABLE_KEY', 'ACCOUNT_ID'].map(
      (name) => ({
        name: `SANDBOX_${name}`,
        meaning: 'with --host or --tunnel: this one, instead of one that is drawn',
      }),
    ),
    { name: 'SANDBOX_CONTROL_TOKEN', meaning: 'with --host or --tunnel: the token of the control API' },
  ],
  listen: [{ ...WEBHOOK_SECRET, meaning: 'with --tunnel: the secret, where no --secret is given' }],
  verify: [WEBHOOK_SECRET],
  'sign webhook': [WEBHOOK_SECRET],
  'sign request': [
    { name: 'SANDBOX_SIGNING_SECRET', meaning: 'the secret, where no --secret is given' },
    { name: 'SANDBOX_TOKEN', meaning: '--curl: the bearer token, where no --token is given' },
  ],
};

const FINDING: readonly EnvironmentFact[] = [
  { name: 'SANDBOX_URL', meaning: 'the sandbox to talk to, as --url' },
  { name: 'SANDBOX_CONTROL_TOKEN', meaning: 'the token of its control API, where it needs one' },
];

/** What every command looks at. */
export const COLOURS: readonly EnvironmentFact[] = [
  { name: 'NO_COLOR', meaning: 'print without colours, as --no-color' },
  { name: 'FORCE_COLOR', meaning: 'print colours also into a pipe; 0 prints none' },
];

/** The names that a command looks at: twins of its options, and how it finds the sandbox. */
export function environmentOf(command: Command): readonly EnvironmentFact[] {
  const { name, environment = [] } = command;
  const twins = SETTINGS.filter(
    ({ commands }) => name === 'config' || commands.some((one) => one === name),
  ).map((setting) => ({ name: environmentNameOf(setting), meaning: `as ${flagOf(setting)}` }));
  const asks = exitStatusesOf(command).some(({ code }) => code === '3');
  return [...twins, ...environment, ...(asks ? FINDING : []), ...COLOURS];
}

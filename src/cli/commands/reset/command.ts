import { RESET_SCOPES } from '../../../contract/reset-scopes.js';
import { declare } from '../../program/declaration.js';
import { choices } from '../../program/options.js';

export const reset = declare({
  name: 'reset',
  summary: 'restore the initial state, or a part of it; listeners stay connected',
  description: 'The options of `start` apply again, and the ids begin again.',
  options: {
    scope: choices(
      'parts',
      'only these: payments,identity,endpoints,faults,calls (default: everything)',
      RESET_SCOPES,
      'part',
    ),
  },
  examples: ['', '--scope payments,calls'],
  related: ['state', 'start'],
});

export default { commands: [reset.runs(async () => (await import('./reset.js')).resetSandbox)] };

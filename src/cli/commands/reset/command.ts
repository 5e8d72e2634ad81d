import { declare } from '../../program/declaration.js';

export const reset = declare({
  name: 'reset',
  summary: 'restore the initial state; listeners stay connected',
  description: 'The options of `start` apply again, and the ids begin again.',
  examples: ['', '--json'],
  related: ['state', 'start'],
});

export default { commands: [reset.runs(async () => (await import('./reset.js')).resetSandbox)] };

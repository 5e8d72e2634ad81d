import { declare } from '../../program/declaration.js';

export const stop = declare({
  name: 'stop',
  summary: 'stop the sandbox of this project',
  description:
    'Asks the sandbox to exit, and waits until it has. Of several sandboxes it stops the ' +
    'newest that answers. With --url, stops the sandbox that answers there.',
  exits: {
    1: 'the sandbox belongs to another command or to a program that created it',
    3: '',
    4: 'it is still running 10 s later',
  },
  related: ['start', 'status'],
});

export default { commands: [stop.runs(async () => (await import('./stop.js')).stopSandbox)] };

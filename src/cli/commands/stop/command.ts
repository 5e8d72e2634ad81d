import { declare } from '../../program/declaration.js';

export const stop = declare({
  name: 'stop',
  summary: 'stop the sandbox of this project',
  description:
    'The process that the run file names is asked to leave, and this command ends when it has left. With --url, a sandbox on this machine that answers there.',
  exits: { 1: 'its process cannot be asked to leave', 3: '', 4: 'it is still there 10 s later' },
  related: ['start', 'status'],
});

export default { commands: [stop.runs(async () => (await import('./stop.js')).stopSandbox)] };

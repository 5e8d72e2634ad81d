import { declare } from '../../program/declaration.js';

export const doctor = declare({
  name: 'doctor',
  summary: 'check this machine, the settings and a signed round trip',
  description:
    'What is wrong is said with what to do. It starts a sandbox of its own on a free port for a moment.',
  exits: { 1: 'something is wrong that keeps a sandbox from working' },
  related: ['config', 'status'],
});

export default { commands: [doctor.runs(async () => (await import('./doctor.js')).examine)] };

import { declare } from '../../program/declaration.js';

export const doctor = declare({
  name: 'doctor',
  summary: 'check this machine, the settings and a signed round trip',
  description: 'Reports each problem with a remedy. Briefly starts its own sandbox on a free port.',
  exits: { 1: 'a problem keeps a sandbox from working' },
  related: ['config', 'status'],
});

export default { commands: [doctor.runs(async () => (await import('./doctor.js')).examine)] };

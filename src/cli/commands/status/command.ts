import { declare } from '../../program/declaration.js';

const status = declare({
  name: 'status',
  summary: 'what the sandbox holds, its time, and what is due next',
  related: ['clock show', 'endpoints list', 'logs', 'doctor'],
});

export default { commands: [status.runs(async () => (await import('./status.js')).showStatus)] };

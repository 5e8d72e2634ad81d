import { declare } from '../../program/declaration.js';
import { count } from '../../program/options.js';

export const agenda = declare({
  name: 'agenda',
  summary: 'what is due next, in order, and when',
  description: 'Attempts to come, expiries, settlements and decisions, without what was overtaken.',
  options: { limit: count('n', 'how many (default: 20)') },
  examples: ['', '--limit 5 --json'],
  related: ['clock', 'status', 'deliveries'],
});

export default { commands: [agenda.runs(async () => (await import('./agenda.js')).showAgenda)] };

import type { CommandTable } from '../commands/table.js';

/** Where to read on after a command, beside the others of its group; a group stands for its own page. */
export const RELATED: Readonly<Record<string, readonly string[]>> = {
  start: ['stop', 'listen', 'trigger', 'env', 'status', 'exec', 'config'],
  stop: ['start', 'status'],
  listen: ['start', 'trigger', 'verify', 'deliveries', 'faults'],
  exec: ['start', 'run', 'wait'],
  run: ['exec', 'fixtures', 'reset'],
  verify: ['sign webhook', 'listen', 'fixtures'],
  sign: ['verify', 'env'],
  fixtures: ['verify', 'sign', 'run'],
  init: ['start', 'listen', 'config', 'env'],
  config: ['start', 'listen', 'exec', 'doctor'],
  completion: ['help', 'doctor'],
  doctor: ['config', 'status'],
  help: ['completion', 'doctor'],
};

/** Commands and groups to read about after a command or a group, each once, without itself. */
export function relatedTo(name: string, { folders, commands }: CommandTable): readonly string[] {
  const [first = name] = name.split(' ');
  const folder = folders.get(first);
  const command = commands.find((one) => one.name === name);
  const siblings = first === name ? [] : (folder?.commands.map((one) => one.name) ?? []);
  const further = command?.related ?? folder?.related ?? [];
  const related = [...siblings, ...further].filter((other) => other !== name);
  return related.length > 0 ? [...new Set(related)] : ['help'];
}

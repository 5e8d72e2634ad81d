import type { CommandTable } from '../commands/table.js';

/** Related commands and groups, each once, without the page's own. */
export function relatedTo(name: string, { folders, commands }: CommandTable): readonly string[] {
  const [first = name] = name.split(' ');
  const folder = folders.get(first);
  const command = commands.find((one) => one.name === name);
  const siblings = first === name ? [] : (folder?.commands.map((one) => one.name) ?? []);
  const further = command?.related ?? folder?.related ?? [];
  const related = [...siblings, ...further].filter((other) => other !== name);
  return related.length > 0 ? [...new Set(related)] : ['help'];
}

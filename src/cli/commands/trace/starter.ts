import type { EntryView } from '../../../http/control/schema.js';
import { oneLine } from '../../terminal/text.js';

/** Who began a story, before its title: a scenario or the console; nothing for what calls, commands and the clock begin. */
export function starterText({ by, scenario }: Partial<Pick<EntryView, 'by' | 'scenario'>>): string {
  if (by === 'console') return 'console: ';
  return by === 'scenario' ? `${oneLine(`scenario ${scenario ?? ''}`, 0)}: ` : '';
}

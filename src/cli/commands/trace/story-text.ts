import type { EntryView } from '../../../http/control/schema.js';
import type { Io } from '../../program/io.js';
import { harmless, oneLine } from '../../terminal/text.js';

/** A step of a story: an entry of the timeline, or what a trace shows of it. */
type Step = Pick<EntryView, 'kind' | 'title'> & Partial<Pick<EntryView, 'by' | 'scenario'>>;

/** A step in words, without its end; then its end as it is, and with its colour. Nothing ends where `outcome` is empty. */
export function stepText({ colour }: Io, step: Step, outcome: string) {
  const { kind, title } = step;
  const plain = harmless(outcome);
  const isBad = kind === 'attempt' || kind === 'call' ? !/^2\d\d$/.test(outcome) : outcome === 'FAILED';
  const text = outcome !== '' && title.endsWith(outcome) ? title.slice(0, -outcome.length) : title;
  return {
    title: starterText(step) + harmless(text.replace(/(?:: | → | )$/, '')),
    plain,
    painted: isBad ? colour.red(plain) : plain,
  };
}

/** Who began a story: a scenario or the console; nothing for what calls, commands and the clock begin. */
function starterText({ by, scenario }: Step): string {
  if (by === 'console') return 'console: ';
  return by === 'scenario' ? `${oneLine(`scenario ${scenario ?? ''}`, 0)}: ` : '';
}

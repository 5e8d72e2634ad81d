import type { EntryView, TraceNodeView, TraceView } from '../../../http/control/schema.js';
import type { BodyOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { presentAt } from '../../sandbox/present.js';
import { fit, harmless, oneLine, wrap } from '../../terminal/text.js';
import { instantText, relativeText, spanText } from '../../terminal/when.js';
import type { trace } from './command.js';

const GAP = '  ';
const WHEN_WIDTH = 9;

export const showTrace: BodyOf<typeof trace> = presentAt(
  (client, { args: { id } }) => client.get('trace/:id', { id }),
  traceText,
);

function traceText(io: Io, { root, due, replaced }: TraceView, nowMs: number): string {
  const origin =
    replaced === null
      ? 'It is older than the timeline'
      : `It came with the state that replaced another at ${instantText(replaced.at)} (${replaced.title})`;
  const note = `${origin}: what led to it is not known.`;
  const notes = root.by === undefined ? ['', ...wrap(harmless(note), io.columns)] : [];
  const next = due.map(({ at, title }) => `  ${relativeText(at, nowMs)}  ${harmless(title)}`);
  const after = [...notes, ...(next.length === 0 ? [] : ['', 'Due next', ...next])];
  const tree = treeLines(io, root, { before: '', below: '', startMs: Date.parse(root.at) });
  return [instantText(root.at), ...tree, ...after.map((line) => fit(line, io.columns))].join('\n');
}

interface Branch {
  /** The lines of the tree before a step, and before what is beneath it. */
  readonly before: string;
  readonly below: string;
  readonly startMs: number;
}

/** A line for each step: how long after the first it happened, what it was and how it ended. */
function* treeLines(io: Io, node: TraceNodeView, { before, below, startMs }: Branch): Generator<string> {
  const { at, during, children } = node;
  const laterMs = Date.parse(at) - startMs;
  const when = laterMs === 0 ? '' : `+${spanText(laterMs)}`;
  const { title, plain, painted } = stepText(io, node, node.outcome ?? '');
  const start = `${when.padStart(WHEN_WIDTH)}  ${before}${during ? 'during it: ' : ''}${title}`;
  const width = io.columns === 0 ? 0 : io.columns - (plain === '' ? 0 : plain.length + GAP.length);
  yield fit(start, width) + (plain === '' ? '' : GAP + painted);
  for (const [index, child] of children.entries()) {
    const isLast = index === children.length - 1;
    yield* treeLines(io, child, {
      before: `${below}${isLast ? '└ ' : '├ '}`,
      below: `${below}${isLast ? '  ' : '│ '}`,
      startMs,
    });
  }
}

/** A step of a story: an entry of the timeline, or what a trace shows of it. */
type Step = Pick<EntryView, 'kind' | 'title'> & Partial<Pick<EntryView, 'by' | 'scenario'>>;

/**
 * A step in words, without its end; then its end as it is, and with its colour. Nothing ends where `outcome`
 * is empty.
 */
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

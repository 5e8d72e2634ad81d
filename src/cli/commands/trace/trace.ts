import type { TraceNodeView, TraceView } from '../../../http/control/schema.js';
import type { BodyOf } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import { presentAt } from '../../sandbox/present.js';
import { fit, harmless } from '../../terminal/text.js';
import { instantText, relativeText } from '../../terminal/when.js';
import type { trace } from './command.js';

const GAP = '  ';

export const showTrace: BodyOf<typeof trace> = presentAt(
  (client, { args: { id } }) => client.get('trace/:id', { id }),
  traceText,
);

function traceText(io: Io, { root, due }: TraceView, nowMs: number): string {
  const notes = root.seq === 0 ? ['', 'It is older than the timeline: what led to it is not known.'] : [];
  const next = due.map(({ at, title }) => `  ${relativeText(at, nowMs)}  ${harmless(title)}`);
  const after = [...notes, ...(next.length === 0 ? [] : ['', 'Due next', ...next])];
  return [...treeLines(io, root, '', ''), ...after.map((line) => fit(line, io.columns))].join('\n');
}

/** A line for each step: when it happened, what it was and how it ended, beneath what led to it. */
function* treeLines(io: Io, node: TraceNodeView, before: string, below: string): Generator<string> {
  const { at, during, title, children } = node;
  const start = `${instantText(at)}  ${before}${during ? 'during it: ' : ''}${harmless(title)}`;
  const ended = endOf(io, node);
  const width =
    io.columns === 0 ? 0 : io.columns - (ended === undefined ? 0 : ended.plain.length + GAP.length);
  yield fit(start, width) + (ended === undefined ? '' : GAP + ended.painted);
  for (const [index, child] of children.entries()) {
    const isLast = index === children.length - 1;
    yield* treeLines(io, child, `${below}${isLast ? '└ ' : '├ '}`, `${below}${isLast ? '  ' : '│ '}`);
  }
}

/** How a step ended, where its title does not say so. */
function endOf(io: Io, { kind, title, outcome }: TraceNodeView) {
  if (outcome === undefined || title.endsWith(outcome)) return undefined;
  const plain = harmless(outcome);
  const isBad = kind === 'attempt' ? !/^2\d\d$/.test(outcome) : outcome === 'FAILED';
  return { plain, painted: isBad ? io.colour.red(plain) : plain };
}

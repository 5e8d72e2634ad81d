import type { FixedAssumption } from '../../core/fixed-assumptions.js';
import type { AssumptionView } from '../../http/control/schema.js';
import type { Io } from '../io.js';
import { oneLine, wrap } from '../text.js';

const INDENT = '  ';

/** The register for people: each value, what it answers, why, and what else may be chosen. Marks what is not the default. */
export function assumptionsText(
  io: Io,
  assumptions: readonly AssumptionView[],
  defaults: readonly AssumptionView[],
): string {
  const defaultOf = new Map(defaults.map(({ id, value }) => [id, value]));
  return assumptions.map((assumption) => block(io, assumption, defaultOf.get(assumption.id))).join('\n\n');
}

/** The same for what has no switch. */
export function fixedText(io: Io, assumptions: readonly FixedAssumption[]): string {
  return assumptions
    .map(({ id, section, question, value, reason }) =>
      [`${id}  ${section}`, ...indented(io, [question, `Here: ${value}`, reason])].join('\n'),
    )
    .join('\n\n');
}

function block(io: Io, assumption: AssumptionView, byDefault: string | undefined): string {
  const { id, section, value, question, reason, choices } = assumption;
  const isChosen = byDefault !== undefined && value !== byDefault;
  const head = `${id} = ${oneLine(value, 0)}`;
  const title = isChosen ? io.colour.yellow(`${head} (the default is ${byDefault})`) : head;
  return [`${title}  ${section}`, ...indented(io, [question, reason, `May be: ${choices}`])].join('\n');
}

function indented({ columns }: Io, texts: readonly string[]): string[] {
  const width = columns === 0 ? 0 : Math.max(columns - INDENT.length, 1);
  return texts.flatMap((text) => wrap(oneLine(text, 0), width)).map((line) => INDENT + line);
}

import type { Finding } from '../../../signing/diagnosis/finding.js';
import type { Io } from '../../program/io.js';
import { oneLine, wrap } from '../../terminal/text.js';

/** Columns for the names of what a diagnosis says. */
const LABEL_WIDTH = 10;

/** The diagnosis: for each mistake, what was done, what is expected and how to fix it. */
export function findingsText(io: Io, findings: readonly Finding[]): string {
  return findings.map((finding) => findingText(io, finding)).join('\n\n');
}

function findingText(io: Io, { did, expected, fix }: Finding): string {
  const { bold, cyan, green } = io.colour;
  return [
    ...labelled(io, bold('did'), did, 'did'.length),
    ...labelled(io, cyan('expected'), expected, 'expected'.length),
    ...labelled(io, green('fix'), fix, 'fix'.length),
  ].join('\n');
}

function labelled({ columns }: Io, label: string, text: string, labelWidth: number): string[] {
  const width = columns === 0 ? 0 : Math.max(columns - LABEL_WIDTH, 20);
  return wrap(oneLine(text, 0), width).map((line, index) =>
    index === 0 ? `${label}${' '.repeat(LABEL_WIDTH - labelWidth)}${line}` : ' '.repeat(LABEL_WIDTH) + line,
  );
}

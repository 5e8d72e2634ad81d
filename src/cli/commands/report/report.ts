import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { querySandbox, type BodyOf } from '../../program/declaration.js';
import { withFileErrors } from '../../program/input-bytes.js';
import type { reportDeclared } from '../history.js';
import { formatHanging } from '../../terminal/text.js';
import { buildReport } from './build.js';
import { reportHtml } from './html.js';

/** Even a redacted report belongs to its author until it is shared. */
const OWNER_ONLY = 0o600;
const LONGEST_NAME = 80;

/** Runs `sandbox report`: writes an HTML file, or prints the report with `--json`. */
export const runReport: BodyOf<typeof reportDeclared> = async (invocation) => {
  const { io, args, options } = invocation;
  const report = await querySandbox(invocation, (client) =>
    buildReport(io, client, { id: args.id, withData: options.withData }),
  );
  const isFile = options.output !== undefined || !io.json;
  const name = options.output ?? fileNameOf(report.subject);
  if (isFile) {
    withFileErrors(
      { verb: 'write', name, hint: 'Choose another name with --output; nothing is overwritten.' },
      () => writeFileSync(resolve(io.cwd, name), reportHtml(report), { mode: OWNER_ONLY, flag: 'wx' }),
    );
  }
  io.emit(report);
  const data = options.withData
    ? 'It contains personal data; only known secrets are redacted.'
    : 'Personal data is redacted; --with-data includes it.';
  io.say(formatHanging(`The report is in ${name}. ${data}`, io.columns));
  for (const line of report.left_out) io.note(line);
};

/** Derives a file name from an id or a code. */
function fileNameOf(subject: string): string {
  const words = subject
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[-.]+|-+$/g, '')
    .slice(0, LONGEST_NAME);
  return `report-${words}.html`;
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planTunnel } from '../../../src/cli/commands/listen/plan.js';
import { start } from '../../../src/cli/declarations/serve.js';
import type { OptionSpec } from '../../../src/cli/program/declaration.js';
import { toFlag, readOptions } from '../../../src/cli/program/declaration.js';
import { CliError } from '../../../src/cli/program/errors.js';
import { SandboxError } from '../../../src/client/sandbox-error.js';
import { fakeIo } from '../../helpers/cli/cli-io.js';
import type { CliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { cliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { COMMANDS } from '../../helpers/cli/commands.js';

/** Values at the ends of a stated range, and just beyond them. */
interface Range {
  readonly inside: readonly string[];
  readonly outside: readonly string[];
}

interface Stated {
  readonly command: string;
  readonly name: string;
  readonly range: Range | undefined;
}

const A_NUMBER = String.raw`(\d+(?:,\d{3})*)`;
const FORMS: readonly (readonly [form: RegExp, range: (least: number, most: number) => Range])[] = [
  [
    new RegExp(`${A_NUMBER} to ${A_NUMBER}`),
    (least, most) => ({
      inside: [String(least), String(most)],
      outside: [String(least - 1), String(most + 1)],
    }),
  ],
  [
    new RegExp(`above ${A_NUMBER} and up to ${A_NUMBER}`),
    (above, most) => ({ inside: [String(most)], outside: [String(above), String(most + 0.1)] }),
  ],
  [/at most (\d+)h/, (most) => ({ inside: [`${most}h`], outside: [`${most}h1s`] })],
];

function rangeIn(description: string): Range | undefined {
  for (const [form, range] of FORMS) {
    const [found, least = '', most = ''] = form.exec(description) ?? [];
    if (found === undefined) continue;
    const [first, second] = [least, most].map((digits) => Number(digits.replaceAll(',', '')));
    return range(first ?? Number.NaN, second ?? Number.NaN);
  }
  return undefined;
}

/** Whether a description states a range, in any words. */
function isRange({ description }: OptionSpec<unknown>): boolean {
  const text = description.replace(/\(default[^)]*\)/, '');
  return (
    /\d/.test(text) && /\b(?:up to|at most|at least|\d[\d,]* (?:to|or more)|from \d|below|above)\b/.test(text)
  );
}

/** Without `config`, which shows the settings of other commands. */
const STATED: readonly Stated[] = COMMANDS.filter(({ name }) => name !== 'config').flatMap(
  ({ name: command, options }) =>
    Object.entries(options)
      .filter(([, option]) => isRange(option))
      .map(([name, { description }]) => ({ command, name, range: rangeIn(description) })),
);

/** Further arguments and options that a command needs. */
const NEEDED: Readonly<Record<string, { readonly args: string[]; readonly options?: object }>> = {
  'faults add': { args: ['delay'], options: { delay: '1s', on: 'call' } },
};

async function isAccepted(sandbox: CliSandbox, { command, name }: Stated, value: string): Promise<boolean> {
  const { args = [], options = {} } = NEEDED[command] ?? {};
  try {
    if (name === 'tunnelFor')
      planTunnel(fakeIo({ env: {} }).io, readOptions(start.options, { tunnel: true, [name]: value }));
    else await sandbox.run(command, { args, options: { ...options, [name]: value } });
    return true;
  } catch (error) {
    if (error instanceof CliError || error instanceof SandboxError) return false;
    throw error;
  }
}

describe('a range in the help', () => {
  let sandbox: CliSandbox;
  beforeAll(async () => {
    sandbox = await cliSandbox();
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  test('a range in the help is stated by some options, and in a form that is tested here', () => {
    expect(STATED.map(({ command, name }) => `${command} ${toFlag(name)}`)).toContain('logs --limit');
    expect(STATED.filter(({ range }) => range === undefined)).toEqual([]);
  });

  test.for(STATED)('a range in the help is what $command accepts for $name', async (stated) => {
    const { inside = [], outside = [] } = stated.range ?? {};
    for (const value of inside)
      expect([value, await isAccepted(sandbox, stated, value)]).toEqual([value, true]);
    for (const value of outside)
      expect([value, await isAccepted(sandbox, stated, value)]).toEqual([value, false]);
  });
});

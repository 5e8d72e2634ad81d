import { describe, expect, test } from 'vitest';
import { COMMANDS, GROUPS, TABLE } from '../../helpers/cli/commands.js';
import {
  createCommandPage,
  createGroupPage,
  type HelpPage,
  createOverviewPage,
  renderPage,
} from '../../../src/cli/help.js';

import { formatFlags } from '../../../src/cli/program/declaration.js';
import { CliError, listExitStatuses } from '../../../src/cli/program/errors.js';
import { getEnvironmentName, SETTINGS } from '../../../src/config/settings.js';
import { commandNamed, runBody } from '../../helpers/cli/cli-io.js';
import { rejectionOf } from '../../helpers/thrown-by.js';

const PAGES: readonly (readonly [string, HelpPage])[] = [
  ['everything', createOverviewPage(TABLE)],
  ['every command', createOverviewPage(TABLE, true)],
  ...GROUPS.map((name) => [name, createGroupPage(name, TABLE)] as const),
  ...COMMANDS.map((spec) => [spec.name, createCommandPage(spec, TABLE)] as const),
];

const run = (...args: string[]) => runBody('help', { args });

/** The headings of a page, in order. */
function headings(text: string): string[] {
  return text.split('\n').filter((line) => /^(?:Usage: |[A-Z][a-z ]*:$)/.test(line));
}

describe.each(PAGES)('the help page of %s', (_, page) => {
  test('fits 80 columns except for examples, which stay in one line, and matches its JSON', () => {
    const text = renderPage(page);
    const long = text.split('\n').filter((line) => line.length > 80);
    expect(long.filter((line) => !page.examples.includes(line.trim()))).toEqual([]);
    expect(text).not.toMatch(/ $|undefined|\n\n\n/m);
    const flowing = text.replaceAll(/\s+/g, ' ');
    const said = [
      page.usage,
      page.description,
      ...page.commands.map(({ name, summary }) => `${name} ${summary}`),
      ...page.options.map(({ flags, description }) => `${flags} ${description}`),
      ...page.environment.map(({ name, meaning }) => `${name} ${meaning}`),
      ...page.files.map(({ path, holds }) => `${path} ${holds}`),
      ...page.exit_status.map(({ code, meaning }) => `${code} ${meaning}`),
      ...page.examples,
      ...page.see_also,
    ];
    expect(said.filter((part) => !flowing.includes(part))).toEqual([]);
  });

  test('refers to existing pages', () => {
    const known = new Set([
      'npx sandbox help <command>',
      'npx sandbox help --all',
      ...PAGES.map(([name]) => `npx sandbox ${name}`),
    ]);
    expect(page.see_also.length).toBeGreaterThan(0);
    expect(page.see_also.filter((name) => !known.has(name))).toEqual([]);
    expect(page.see_also).not.toContain(`npx ${page.name}`);
  });
});

describe.each(COMMANDS.map((spec) => [spec.name, spec] as const))(
  'the complete help page of %s',
  (name, spec) => {
    const page = createCommandPage(spec, TABLE);

    test('has every section', () => {
      expect(headings(renderPage(page))).toEqual([
        expect.stringMatching(/^Usage: npx sandbox \S/),
        'Options:',
        'Environment:',
        'Exit codes:',
        'Examples:',
        'See also:',
      ]);
    });

    test('names each option, each variable of the environment, and two or more examples', () => {
      const flags = page.options.map((option) => option.flags);
      for (const [key, option] of Object.entries(spec.options))
        expect(flags).toContain(formatFlags(key, option));
      expect(flags).toEqual(
        expect.arrayContaining(['--json', '--url <url>', '--no-color', '--no-input', '--help']),
      );
      const twins = SETTINGS.filter(({ commands }) => commands.some((one) => one === name)).map(
        getEnvironmentName,
      );
      const names = page.environment.map((fact) => fact.name);
      expect(names).toEqual(expect.arrayContaining([...twins, 'NO_COLOR', 'FORCE_COLOR']));
      expect(page.examples.length).toBeGreaterThanOrEqual(2);
    });

    test('lists exit codes once, in order', () => {
      const codes = page.exit_status.map(({ code }) => code);
      expect(codes).toEqual(expect.arrayContaining(['0', '2', '70', '128+n']));
      const numbers = codes.filter((code) => /^\d+$/.test(code)).map(Number);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      expect(page.exit_status.filter(({ meaning }) => meaning === '')).toEqual([]);
    });
  },
);

describe('exit codes in help pages', () => {
  test.each([
    ['charges settle', ['0', '1', '2', '3', '70', '128+n']],
    ['trigger', ['0', '1', '2', '3', '4', '70', '128+n']],
    ['verify', ['0', '1', '2', '3', '70', '128+n']],
    ['fixtures list', ['0', '2', '70', '128+n']],
    ['start', ['0', '1', '2', '5', '70', '128+n']],
    ['exec', ['0', '1', '2', '5', '70', '126', '127', '128+n', 'n']],
  ])('%s may exit with %j', async (name, codes) => {
    expect(listExitStatuses(await commandNamed(name)).map(({ code }) => code)).toEqual(codes);
  });
});

describe('sandbox help', () => {
  test('prints everything with --all: commands, exit codes, files', async () => {
    const { stdout, exitCode } = await runBody('help', { options: { all: true } });
    expect(exitCode).toBe(0);
    expect(headings(stdout)).toEqual(
      expect.arrayContaining(['Start and stop:', 'Options:', 'Files:', 'Exit codes:', 'Examples:']),
    );
    for (const { name } of COMMANDS) expect(stdout).toContain(`\n  ${name} `);
    expect(stdout).toContain('\n\nCreate and trigger:\n  trigger  ');
    for (const text of ['sandbox.config.json', 'run file', '  5      the port is in use']) {
      expect(stdout).toContain(text);
    }
  });

  test('prints the page of every command with --all as JSON, and without it the groups', async () => {
    const all = await runBody('help', { options: { all: true }, json: true });
    const pages = (JSON.parse(all.stdout) as { pages: HelpPage[] }).pages;
    expect(pages.map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => `sandbox ${name}`));
    const { stdout } = await runBody('help', { json: true });
    expect((JSON.parse(stdout) as HelpPage).commands).toContainEqual({
      name: 'charges',
      summary: 'list, show and create charges, and simulate the payer',
      group: 'Create and trigger',
    });
  });

  test('prints everything, a group or a command as Markdown', async () => {
    const markdown = async (...args: string[]) =>
      (await runBody('help', { args, options: { format: 'markdown' } })).stdout;
    expect(await markdown()).toMatch(/^# Every command\n.*\n### withdrawals return\n/s);
    expect(await markdown('clock')).toMatch(/^## clock\n.*\n### clock next\n/s);
    expect(await markdown('env')).toMatch(
      /^### env\n\n.*\n\nUsage: `npx sandbox env \[options\]`\n\n.*\| `--format <format>` \|.*\n```sh\nnpx sandbox env > /s,
    );
  });

  test('accepts a command or --all, and a known format', async () => {
    const both = await rejectionOf(runBody('help', { args: ['env'], options: { all: true } }), CliError);
    expect(both).toMatchObject({ exitCode: 2, hint: 'Omit --all or env.' });
    const other = await rejectionOf(runBody('help', { options: { format: 'html' } }), CliError);
    expect(other).toMatchObject({ exitCode: 2, message: 'Unknown format html.' });
  });

  test('describes a group, and a command of it', async () => {
    expect((await run('charges')).stdout).toContain('\n  charges settle  the payer pays\n');
    expect((await run('charges', 'settle')).stdout).toContain(
      'Usage: npx sandbox charges settle [options] [id]\n',
    );
  });

  test.each([
    [['chargs'], /^Unknown command chargs\.$/, /^Did you mean charges\? Known: .*, charges, .*, help\.$/],
    [['status', 'all'], /^Unknown command status all\.$/, /^Did you mean status\? Known: start, /],
    [['clok', 'advance'], /^Unknown command clok advance\.$/, /^Did you mean clock advance\? /],
    [['list'], /^Unknown command list\.$/, /^Did you mean charges list or .* or endpoints list\? /],
    [
      ['charges', 'nope'],
      /^Unknown command charges nope\.$/,
      /^Did you mean charges [a-z]+.*\? Known: charges, /,
    ],
    [[''], /^Unknown command ""\.$/, /^Known: start, /],
    [['x'.repeat(5000)], /^Unknown command x+…\.$/, /^Known: start, /],
  ])('%j is a usage error that lists the choices', async (words, message, hint) => {
    expect(await rejectionOf(run(...words), CliError)).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });
});

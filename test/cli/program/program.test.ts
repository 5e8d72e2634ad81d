import { describe, expect, test } from 'vitest';
import { type CommandDeclaration, listNames, type RawOptions } from '../../../src/cli/program/declaration.js';
import {
  createCommandPage,
  createGroupPage,
  createOverviewPage,
  type HelpPage,
} from '../../../src/cli/help.js';
import { runBody } from '../../helpers/cli/cli-io.js';
import { COMMANDS, GROUPS, TABLE } from '../../helpers/cli/commands.js';
import { PROGRAM_NAME } from '../../../src/text/program-name.js';
import { runProgram } from '../../../src/cli/program/program.js';

interface Parsed {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  readonly chosen:
    | { readonly spec: CommandDeclaration; readonly args: readonly string[]; readonly options: RawOptions }
    | undefined;
}

/** Parses a command line without running what it chose. */
async function parse(...argv: string[]): Promise<Parsed> {
  let out = '';
  let err = '';
  let chosen: Parsed['chosen'];
  const exitCode = await runProgram(
    argv,
    async (spec, args, options) => {
      chosen = { spec, args, options };
      return 0;
    },
    { out: (text) => (out += text), err: (text) => (err += text), program: PROGRAM_NAME },
  );
  return { exitCode, out, err, chosen };
}

/** An example's words up to where the shell takes over. */
function words(text: string): string[] {
  const all = text.split(' ').filter((word) => word !== '');
  const redirect = all.indexOf('>');
  return redirect < 0 ? all : all.slice(0, redirect);
}

const examples = COMMANDS.flatMap((spec) => spec.examples.map((example) => [spec.name, example] as const));

describe('the command table', () => {
  test.each(examples)('%s %s parses', async (name, example) => {
    const { exitCode, chosen, err } = await parse(...name.split(' '), ...words(example));
    expect(err).toBe('');
    expect(exitCode).toBe(0);
    expect(chosen?.spec.name).toBe(name);
  });

  test.each(COMMANDS.map(({ name }) => [name]))('%s --help is its page', async (name) => {
    const { exitCode, chosen } = await parse(...name.split(' '), '--help');
    expect(exitCode).toBe(0);
    expect(chosen).toMatchObject({ spec: { name: 'help' }, args: name.split(' ') });
  });

  test('names each command once, in a described group', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const grouped = names.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]);
    expect(new Set(grouped)).toEqual(new Set(GROUPS));
  });
});

describe('an alias', () => {
  const names = COMMANDS.flatMap(listNames);
  const aliases = names.filter(({ path, command }) => path !== command.name);

  test('has no name of a command, a group or another alias, and is in its group or is one word', () => {
    const paths = [...names.map(({ path }) => path), ...GROUPS];
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
    const groupOf = (name: string) => name.split(' ')[0];
    const inGroups = aliases.filter(({ path }) => path.includes(' '));
    expect(inGroups.filter(({ path, command }) => groupOf(path) !== groupOf(command.name))).toEqual([]);
  });

  test('presets only arguments and options of its command', () => {
    const unknown = aliases.filter(({ preset, command: { args, options } }) =>
      Object.keys(preset).some((name) => !(name in args) && !(name in options)),
    );
    expect(unknown).toEqual([]);
  });

  test.each(aliases.map(({ path, command }) => [path, command] as const))(
    '%s has the page of its command, which names it, and is in no list',
    async (path, command) => {
      expect((await parse(...path.split(' '), '--help')).chosen?.args).toEqual(path.split(' '));
      const { stdout } = await runBody('help', { args: path.split(' '), json: true });
      const page = JSON.parse(stdout) as HelpPage;
      expect(page).toEqual(createCommandPage(command, TABLE));
      expect(page.description).toMatch(new RegExp(`Also: .*\\b${path}\\b.*\\.$`));
      const lists = [createOverviewPage(TABLE, true), ...GROUPS.map((name) => createGroupPage(name, TABLE))];
      expect(lists.flatMap(({ commands }) => commands.map(({ name }) => name))).not.toContain(path);
    },
  );

  test.each([
    [['balance', '--limit', '5'], 'ledger', [], { limit: '5' }],
    [['charges', 'pay', 'order-1'], 'charges settle', ['order-1'], {}],
    [['clock', 'set', '2030-01-01T00:00:00Z'], 'clock freeze', ['2030-01-01T00:00:00Z'], {}],
    [['kyc', 'approve', 'kyc_1', '--delay', '5s'], 'kyc decide', ['kyc_1', 'approved'], { delay: '5s' }],
    [['kyc', 'reject'], 'kyc decide', ['', 'rejected'], {}],
    [['faults', 'clear', '--json'], 'faults remove', [], { all: true, json: true }],
    [['logs', '-f'], 'logs', [], { follow: true }],
    [['deliveries', 'retry', '--all'], 'deliveries retry', [], { failed: true }],
  ])('%j runs %s', async (argv, name, args, options) => {
    const { chosen, err } = await parse(...argv);
    expect(err).toBe('');
    expect(chosen).toMatchObject({ spec: { name }, args, options });
  });

  test('accepts no argument or option that it presets', async () => {
    expect((await parse('kyc', 'approve', 'kyc_1', 'rejected')).err).toContain('too many arguments');
    expect((await parse('faults', 'clear', '--all')).err).toContain("unknown option '--all'");
  });
});

describe('the program', () => {
  test.each([
    [['--help'], []],
    [['-h', '--json'], []],
    [['charges', '--help'], ['charges']],
    [
      ['charges', 'create', '--amount', '5', '--help'],
      ['charges', 'create'],
    ],
    [['trigger', 'pix.settled', '--help'], ['trigger']],
  ])('%j asks for the page of %j', async (argv, about) => {
    expect((await parse(...argv)).chosen).toMatchObject({ spec: { name: 'help' }, args: about });
  });

  test('the program has the version of the package', async () => {
    expect(await parse('--version')).toMatchObject({ exitCode: 0, out: `${__VERSION__}\n` });
  });

  test('passes on arguments and options', async () => {
    const { chosen } = await parse(
      'charges',
      'create',
      '--amount',
      '5',
      '--metadata',
      'a=1',
      '--metadata',
      'b=2',
    );
    expect(chosen?.options).toEqual({ amount: '5', metadata: ['a=1', 'b=2'], color: true, input: true });
    const shown = await parse('charges', 'show', 'order-1', '--json', '--no-color');
    expect(shown.chosen).toMatchObject({ args: ['order-1'], options: { json: true, color: false } });
  });

  test.each([
    [['--json', 'status'], { json: true }],
    [
      ['--no-color', '--url', 'http://127.0.0.1:1', 'charges', 'list'],
      { color: false, url: 'http://127.0.0.1:1' },
    ],
    [
      ['charges', '--url=http://127.0.0.1:1', 'list', '--no-input'],
      { input: false, url: 'http://127.0.0.1:1' },
    ],
  ])('%j accepts the options of every command anywhere', async (argv, options) => {
    const { chosen, err } = await parse(...argv);
    expect(err).toBe('');
    expect(chosen?.options).toMatchObject(options);
    const help = await parse(...argv, '--help');
    expect(help.chosen).toMatchObject({ spec: { name: 'help' }, args: chosen?.spec.name.split(' ') });
  });

  test('leaves the options of a program after -- unchanged', async () => {
    const { chosen } = await parse('exec', '--', 'node', '--json', '--help');
    expect(chosen).toMatchObject({ args: ['node', '--json', '--help'], options: { color: true } });
    expect(chosen?.options).not.toHaveProperty('json');
  });

  test('exits with the return value of a command', async () => {
    const quiet = { out: () => {}, err: () => {}, program: PROGRAM_NAME };
    expect(await runProgram(['status'], async () => 4, quiet)).toBe(4);
  });

  test.each([
    [['charge'], /unknown command 'charge'\n\(Did you mean charges\?\)/],
    [
      ['resume'],
      /^error unknown command 'resume'\n\(Did you mean deliveries resume or clock resume\?\)\nType/,
    ],
    [['settle', 'x'], /\n\(Did you mean charges settle or withdrawals settle\?\)\nType/],
    [['deliver'], /\n\(Did you mean deliveries\?\)\nType/],
    [['adv', '45h'], /\n\(Did you mean clock advance\?\)\nType/],
    [['version'], /unknown command 'version'\n\(Did you mean --version\?\)/],
    [['resets'], /^error unknown command 'resets'\nType/],
    [['charges', 'shwo', 'x'], /unknown command 'shwo'\n\(Did you mean show\?\)/],
    [['charges', 'paid', 'x'], /unknown command 'paid'\n\(Did you mean settle\?\)\nType/],
    [['charges', 'pya', 'x'], /unknown command 'pya'\n\(Did you mean pay\?\)\nType/],
    [['blance'], /unknown command 'blance'\n\(Did you mean balance\?\)/],
    [['withdrawals', 'refund', 'x'], /unknown command 'refund'\n\(Did you mean return\?\)/],
    [['events', 'pay'], /^error unknown command 'pay'\nType/],
    [['state', 'restor'], /^error unknown command 'restor'\nType/],
    [['endpoints', 'remove', 'x'], /unknown command 'remove'\n\(Did you mean delete\?\)/],
    [['run', '--record', 'x', '--forse'], /^error unknown option '--forse'\nType/],
    [['start', '--forwardto=3000'], /unknown option '--forwardto=3000'\n\(Did you mean --forward-to\?\)/],
    [['start', '-x'], /^error unknown option '-x'\nType/],
    [['exec', 'node', '-e', '1'], /unknown option '-e'\n\(Put -- before node\.\)/],
    [['exec', '-e', 'node'], /^error unknown option '-e'\nType/],
    [['-v'], /unknown option '-v'\n\(Did you mean --version\?\)/],
    [['--versoin'], /unknown option '--versoin'\n\(Did you mean --version\?\)/],
    [['status', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    [['charges', 'show'], /missing required argument 'id'/],
    [['charges', 'show', 'a', 'b'], /too many arguments/],
    [['check', 'http://localhost:3000/hook'], /Did you mean --forward-to http:\/\/localhost:3000\/hook\?/],
    [['start', '3000'], /Did you mean --forward-to 3000\?/],
    [['charges', 'list', '--status'], /'--status <status>' argument missing\n\(--status: filter by status\)/],
  ])('%j is a usage error that states the problem', async (argv, message) => {
    const { exitCode, err, out, chosen } = await parse(...argv);
    expect(exitCode).toBe(2);
    expect(err).toMatch(message);
    expect(out).toBe('');
    expect(chosen).toBeUndefined();
  });

  test('suggests another command for a word, even with --json', async () => {
    const { out } = await parse('charges', 'paid', 'x', '--json');
    expect(JSON.parse(out)).toMatchObject({
      error: { code: 'USAGE', message: "unknown command 'paid'\n(Did you mean settle?)" },
    });
  });

  test.each([
    [['--json'], 'no command given', '--help'],
    [['charges', '--json'], 'no charges command given', 'charges --help'],
  ])('%j is a usage error in JSON only', async (argv, message, page) => {
    const { exitCode, out, err } = await parse(...argv);
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: '' });
    const hint = `Type \`${PROGRAM_NAME} ${page}\` to see the commands.`;
    expect(JSON.parse(out)).toEqual({ error: { code: 'USAGE', message, details: [], hint }, exit_code: 2 });
  });

  test('a group alone, or nothing, is a usage error with its help', async () => {
    const { exitCode, err } = await parse('charges');
    expect(exitCode).toBe(2);
    expect(err).toContain('sandbox charges <command> [options] [arguments]');
    expect(err).toContain('charges settle');
  });
});

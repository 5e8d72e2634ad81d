import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printCompletions, complete, listOptions, splitLine } from '../../../src/cli/completion/complete.js';
import type { CliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { LOCAL, cliSandbox, register, trigger, worldOf } from '../../helpers/cli/cli-sandbox.js';
import { COMMANDS } from '../../helpers/cli/commands.js';
import { ASSUMPTION_IDS } from '../../../src/contract/assumptions.js';

const NOBODY = { env: { XDG_STATE_HOME: '/nowhere' }, cwd: '/nowhere' };

/** What completes a line, without the program's name; its last word is being typed. */
async function values(line: string): Promise<readonly string[]> {
  const { candidates } = await complete(line.split(' '), NOBODY);
  return candidates.map(({ value }) => value);
}

async function paths(line: string) {
  return (await complete(line.split(' '), NOBODY)).paths;
}

describe('commands', () => {
  test('commands are all listed, each once, with a description', async () => {
    const { candidates } = await complete([''], NOBODY);
    const names = candidates.map(({ value }) => value);
    expect(new Set(names)).toEqual(new Set(COMMANDS.map(({ name }) => name.split(' ')[0])));
    expect(names).toHaveLength(new Set(names).size);
    expect(candidates.filter(({ description }) => description === '')).toEqual([]);
  });

  test.each([
    ['tri', ['trigger']],
    ['charges ', ['list', 'show', 'create', 'settle', 'fail', 'expire']],
    ['charges s', ['show', 'settle']],
    ['charges p', ['pay']],
    ['kyc approve kyc_1 --d', ['--document', '--delay']],
    ['help kyc a', ['approve']],
    ['bal', ['balance']],
    ['logs --fol', ['--follow']],
    ['logs -f --f', ['--filter', '--failed']],
    ['deliveries retry --a', ['--all']],
    ['help dep', []],
    ['help cha', ['charges']],
    ['help charges cr', ['create']],
    ['-', ['--help', '--version']],
    ['nope ', []],
    ['charges nope ', []],
    ['--json charges s', ['show', 'settle']],
    ['--url http://127.0.0.1:1 charges --no-color show --j', ['--json']],
  ])('completes the command line %j', async (line, wanted) => {
    expect(await values(line)).toEqual(wanted);
  });
});

describe('options', () => {
  test.each(COMMANDS.map((spec) => [spec.name, spec] as const))(
    'options of %s each have a description',
    async (name, spec) => {
      const { candidates } = await complete([...name.split(' '), '--'], NOBODY);
      expect(candidates.map(({ value }) => value)).toEqual(listOptions(spec).map(({ value }) => value));
      expect(candidates.filter(({ description }) => description === '')).toEqual([]);
    },
  );

  test('options are listed where nothing else is possible', async () => {
    expect(await values('status ')).toEqual(['--json', '--url', '--no-color', '--no-input', '--help']);
    expect(await values('trigger pix.settled --w')).toEqual(['--withdrawal', '--wait']);
  });

  test('options are listed once, except for those that may be repeated', async () => {
    expect(await values('start --seed 7 --se')).toEqual([]);
    expect(await values('start --seed=7 --se')).toEqual([]);
    expect(await values('start --assume a=b --ass')).toEqual(['--assume']);
  });

  test('options are not listed after --', async () => {
    expect(await values('exec -- --')).toEqual([]);
    expect(await paths('exec -- np')).toBe('files');
  });
});

describe('values', () => {
  test.each([
    ['wait ', ['ready', 'idle', 'delivery']],
    ['kyc list --status u', ['under_review']],
    ['kyc decide kyc_1 app', ['approved']],
    ['listen --retries ', ['real', 'fast', 'off']],
    [
      'listen --events pix.settled,withdrawal.',
      ['pix.settled,withdrawal.settled', 'pix.settled,withdrawal.failed', 'pix.settled,withdrawal.*'],
    ],
    ['run paid', ['paid', 'paid-late']],
    ['withdrawals return payout-1 --reason M', ['MD06']],
    ['charges fail order-1 --reason M', []],
    ['start --assume signature.enc', ['signature.encoding=']],
    ['start --assume signature.encoding=', ['signature.encoding=hex', 'signature.encoding=base64']],
    ['start --assume=signature.encoding=h', ['--assume=signature.encoding=hex']],
    ['start --assume charge.lifetime=', []],
    ['faults add lose', ['lose-response', 'lose-answer']],
    ['faults add duplicate --event pix', ['pix.settled', 'pix.failed', 'pix.expired', 'pix.*']],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['fixtures show pix.s', ['pix.settled']],
    ['clock advance ', []],
  ])('completes the values of %j', async (line, wanted) => {
    expect(await values(line)).toEqual(wanted);
  });

  test('values of assumptions are all that can be switched', async () => {
    expect(await values('start --assume ')).toEqual(ASSUMPTION_IDS.map((id) => `${id}=`));
  });

  test.each([
    ['verify ', 'files'],
    ['verify body.json --headers ', 'files'],
    ['verify body.json --headers=', 'files'],
    ['start --data ', 'folders'],
    ['fixtures export ', 'folders'],
    ['trigger ', undefined],
  ])('completes %j with %s', async (line, wanted) => {
    expect(await paths(line)).toBe(wanted);
  });

  test('values of ids are empty without a running sandbox', async () => {
    for (const line of ['charges show ', 'deliveries retry ', 'kyc show ', 'trigger pix.settled --charge ']) {
      expect(await values(line)).toEqual([]);
      expect(await values(`${line}la`)).toEqual(['latest']);
    }
  });
});

test('every suggestion starts with the typed text, whatever is on the line', async () => {
  const names = COMMANDS.flatMap(({ name }) => name.split(' '));
  const options = COMMANDS.flatMap((spec) => listOptions(spec).map(({ value }) => value));
  const pieces = [...names, ...options];
  const word = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...pieces, '--', 'pix.', '--status=') },
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), word, async (before, typed) => {
      const { candidates } = await complete([...before, typed], NOBODY);
      expect(candidates.filter(({ value }) => !value.startsWith(typed))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

/** As bash has them. */
const BREAKS = ' \t\n"\'><=;|&(:';

function at({ server }: CliSandbox) {
  return { env: { SANDBOX_URL: server.url }, cwd: '/nowhere' };
}

async function bash(
  line: string,
  typist: Parameters<typeof printCompletions>[1] = NOBODY,
): Promise<string[]> {
  return (await printCompletions(['bash', line, BREAKS], typist)).trimEnd().split('\n');
}

describe('suggestions for bash', () => {
  test.each([
    ['sandbox tri', ['values', 'trigger']],
    ['sandbox verify ', ['files']],
    ['sandbox state ', ['values', 'export', 'import', 'save', 'restore', 'compare', 'list', 'drop']],
    ['sandbox start --assume signature.enc', ['nospace', 'signature.encoding=']],
    ['sandbox start --assume signature.encoding=', ['values', 'hex', 'base64']],
    ['sandbox deliveries list --status=F', ['values', 'FAILED']],
    [
      'sandbox listen --events withdrawal.settled,p',
      [
        'values',
        'withdrawal.settled,pix.settled',
        'withdrawal.settled,pix.failed',
        'withdrawal.settled,pix.expired',
        String.raw`withdrawal.settled,pix.\*`,
      ],
    ],
    ["sandbox faults add duplicate --event 'withdrawal.*", ['values', 'withdrawal.*']],
  ])('completes %j for bash', async (line, wanted) => {
    expect(await bash(line)).toEqual(wanted);
  });
});

test('suggestions for zsh and fish have descriptions', async () => {
  expect(await printCompletions(['zsh', 'charges', 'sh'], NOBODY)).toBe('values\nshow:show one charge\n');
  expect(await printCompletions(['fish', 'charges', 'sh'], NOBODY)).toBe('values\nshow\tshow one charge\n');
  expect(await printCompletions(['zsh', 'deliveries', 'list', '--status', 'F'], NOBODY)).toBe(
    'values\nFAILED\n',
  );
});

test('another shell gets no suggestions', async () => {
  expect(await printCompletions(['tcsh', 'tri'], NOBODY)).toBe('');
  expect(await printCompletions([], NOBODY)).toBe('');
});

describe('ids of the running sandbox', () => {
  test('ids of the running sandbox include codes, which cannot become commands', async () => {
    await using sandbox = await cliSandbox();
    for (const code of ['order-1', 'a;b$(c)`d`', "it's:\\"])
      await sandbox.run('charges create', { options: { code } });
    const ids = worldOf(sandbox).charges.rows.map(({ id }) => id);
    const [how, ...lines] = await bash('sandbox charges show ', at(sandbox));
    expect(how).toBe('values');
    expect(lines).toHaveLength(6);
    expect(lines).toEqual(
      expect.arrayContaining(['order-1', String.raw`a\;b\$\(c\)\`d\``, String.raw`it\'s:\\`, ...ids]),
    );
    expect(await bash("sandbox charges show 'it", at(sandbox))).toEqual(['values', "it'\\''s:\\"]);
    const zsh = await printCompletions(['zsh', 'charges', 'show', 'it'], at(sandbox));
    expect(zsh).toBe("values\nit's\\:\\\\:100.00 PENDING\n");
  });

  test('ids of the running sandbox are found by the --url on the line, too', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('charges create', { options: { code: 'order-1' } });
    const { url } = sandbox.server;
    expect(await printCompletions(['fish', 'charges', 'show', '--url', url, 'or'], NOBODY)).toContain(
      'order-1\t',
    );
    expect(await printCompletions(['fish', 'charges', 'show', `--url=${url}`, 'or'], NOBODY)).toContain(
      'order-1\t',
    );
  });

  test('ids of the running sandbox are listed for each kind, with a description', async () => {
    await using sandbox = await cliSandbox(LOCAL);
    register(sandbox, 'https://a.example/');
    await sandbox.run('faults add', { args: ['drop'] });
    trigger(sandbox);
    trigger(sandbox, 'withdrawal.settled');
    for (const [line, table] of [
      ['withdrawals show ', 'withdrawals'],
      ['events resend ', 'events'],
      ['deliveries list --event ', 'events'],
      ['deliveries show ', 'deliveries'],
      ['verify --delivery ', 'deliveries'],
      ['endpoints disable ', 'endpoints'],
      ['trigger pix.settled --charge ', 'charges'],
      ['faults remove ', 'faults'],
    ] as const) {
      const lines = (await printCompletions(['fish', ...line.split(' ')], at(sandbox)))
        .trimEnd()
        .split('\n')
        .slice(1);
      const held = worldOf(sandbox)[table];
      const ids = 'rows' in held ? held.rows.map(({ id }) => id) : [...held.keys()];
      expect(lines.map((one) => one.split('\t')[0])).toEqual(expect.arrayContaining(ids));
      expect(lines.filter((one) => !one.includes('\t'))).toEqual([]);
    }
  });

  test('ids of the running sandbox are shortened for sessions, because the whole is a credential', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('kyc create');
    const id = worldOf(sandbox).sessions.rows[0]?.id ?? '';
    const text = await printCompletions(['fish', 'kyc', 'show', ''], at(sandbox));
    expect(text).toMatch(/^values\nkyc_\w{8}\tindividual CREATED\n$/);
    expect(id.startsWith(/kyc_\w{8}/.exec(text)?.[0] ?? '?')).toBe(true);
  });
});

test('a sandbox that does not respond does not block the shell', async () => {
  const mute = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  try {
    const typist = { env: { SANDBOX_URL: url }, cwd: '/nowhere' };
    expect(await printCompletions(['fish', 'charges', 'show', ''], typist)).toBe('values\n');
  } finally {
    mute.closeAllConnections();
    mute.close();
  }
});

test('PowerShell passes each word after an equals sign, and gets values with their descriptions', async () => {
  expect(await printCompletions(['powershell', '=charges', '=settl'], NOBODY)).toBe(
    'values\nsettle\tthe payer pays\n',
  );
  expect(await printCompletions(['powershell', '=charges', '='], NOBODY)).toMatch(
    /^values\nlist\t.*\nshow\t/,
  );
  expect(await printCompletions(['powershell', '=deliveries', '=list', '=--status=FA'], NOBODY)).toBe(
    'values\n--status=FAILED\n',
  );
});

test.each([
  ['sandbox tri', ['sandbox', 'tri'], ''],
  ['sandbox  trigger ', ['sandbox', 'trigger', ''], ''],
  ["sandbox listen --events 'pix.", ['sandbox', 'listen', '--events', 'pix.'], "'"],
  ['sandbox charges show "a b" c\\ d', ['sandbox', 'charges', 'show', 'a b', 'c d'], ''],
  ['sandbox x "a\\"b', ['sandbox', 'x', 'a"b'], '"'],
  ["sandbox x 'a\\", ['sandbox', 'x', 'a\\'], "'"],
  ["sandbox '' ", ['sandbox', '', ''], ''],
  ['', [''], ''],
])('splits %j as a shell does', (line, words, quote) => {
  expect(splitLine(line)).toEqual({ words, quote });
});

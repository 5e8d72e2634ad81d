import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { answer, splitLine } from '../../../src/cli/completion/complete.js';
import type { CliSandbox } from '../../helpers/cli/cli-sandbox.js';
import { LOCAL, cliSandbox, register, trigger, worldOf } from '../../helpers/cli/cli-sandbox.js';

/** As bash has them. */
const BREAKS = ' \t\n"\'><=;|&(:';
const NOWHERE = { env: { XDG_STATE_HOME: '/nowhere' }, cwd: '/nowhere' };

function at({ server }: CliSandbox) {
  return { env: { SANDBOX_URL: server.url }, cwd: '/nowhere' };
}

async function bash(line: string, typist: Parameters<typeof answer>[1] = NOWHERE): Promise<string[]> {
  return (await answer(['bash', line, BREAKS], typist)).trimEnd().split('\n');
}

describe('for bash', () => {
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
  ])('%j', async (line, wanted) => {
    expect(await bash(line)).toEqual(wanted);
  });
});

test('for zsh and fish with descriptions', async () => {
  expect(await answer(['zsh', 'charges', 'sh'], NOWHERE)).toBe('values\nshow:one charge\n');
  expect(await answer(['fish', 'charges', 'sh'], NOWHERE)).toBe('values\nshow\tone charge\n');
  expect(await answer(['zsh', 'deliveries', 'list', '--status', 'F'], NOWHERE)).toBe('values\nFAILED\n');
});

test('for another shell nothing', async () => {
  expect(await answer(['tcsh', 'tri'], NOWHERE)).toBe('');
  expect(await answer([], NOWHERE)).toBe('');
});

describe('ids of the running sandbox', () => {
  test('and codes, which cannot become commands', async () => {
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
    const zsh = await answer(['zsh', 'charges', 'show', 'it'], at(sandbox));
    expect(zsh).toBe("values\nit's\\:\\\\:100.00 PENDING\n");
  });

  test('are found by the --url on the line, too', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('charges create', { options: { code: 'order-1' } });
    const { url } = sandbox.server;
    expect(await answer(['fish', 'charges', 'show', '--url', url, 'or'], NOWHERE)).toContain('order-1\t');
    expect(await answer(['fish', 'charges', 'show', `--url=${url}`, 'or'], NOWHERE)).toContain('order-1\t');
  });

  test('of each kind, with a description', async () => {
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
      ['endpoints disable ', 'endpoints'],
      ['trigger pix.settled --charge ', 'charges'],
      ['faults remove ', 'faults'],
    ] as const) {
      const lines = (await answer(['fish', ...line.split(' ')], at(sandbox))).trimEnd().split('\n').slice(1);
      const held = worldOf(sandbox)[table];
      const ids = 'rows' in held ? held.rows.map(({ id }) => id) : [...held.keys()];
      expect(lines.map((one) => one.split('\t')[0])).toEqual(expect.arrayContaining(ids));
      expect(lines.filter((one) => !one.includes('\t'))).toEqual([]);
    }
  });

  test('of sessions are shortened, because the whole is a credential', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('kyc create');
    const id = worldOf(sandbox).sessions.rows[0]?.id ?? '';
    const text = await answer(['fish', 'kyc', 'show', ''], at(sandbox));
    expect(text).toMatch(/^values\nkyc_\w{8}\tindividual CREATED\n$/);
    expect(id.startsWith(/kyc_\w{8}/.exec(text)?.[0] ?? '?')).toBe(true);
  });
});

test('a sandbox that does not answer does not hold up the shell', async () => {
  const mute = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  try {
    const typist = { env: { SANDBOX_URL: url }, cwd: '/nowhere' };
    expect(await answer(['fish', 'charges', 'show', ''], typist)).toBe('values\n');
  } finally {
    mute.closeAllConnections();
    mute.close();
  }
});

test('PowerShell passes each word after an equals sign, and gets values with their descriptions', async () => {
  expect(await answer(['powershell', '=charges', '=settl'], NOWHERE)).toBe(
    'values\nsettle\tthe payer pays\n',
  );
  expect(await answer(['powershell', '=charges', '='], NOWHERE)).toMatch(/^values\nlist\t.*\nshow\t/);
  expect(await answer(['powershell', '=deliveries', '=list', '=--status=FA'], NOWHERE)).toBe(
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
])('%j', (line, words, quote) => {
  expect(splitLine(line)).toEqual({ words, quote });
});

import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../../../src/client/control.js';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { cliSandbox, START_INSTANT } from '../../../helpers/cli/cli-sandbox.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

const LONG_CODE = 'order-with-a-name-that-does-not-fit-at-all-into-a-narrow-terminal';

describe('charges', () => {
  test('create prints what was made, with the options in it', async () => {
    await using sandbox = await cliSandbox();
    const { stdout } = await sandbox.run('charges create', {
      options: {
        amount: '10',
        code: 'order-1',
        payerName: 'Ana',
        payerDocument: '529.982.247-25',
        metadata: ['order=7', 'note=a=b'],
      },
    });
    const [charge] = sandbox.server.sandbox.world.charges.rows;
    expect(charge?.metadata).toEqual({ order: '7', note: 'a=b' });
    expect(stdout.split('\n').slice(0, -2)).toEqual([
      'charge    order-1',
      `id        ${charge?.id}`,
      'status    PENDING',
      'amount    10.00 BRL, net 9.50',
      'fees      provider 0.50, partner 0.00',
      'payer     Ana, 52998224725',
      'metadata  order=7',
      'metadata  note=a=b',
      `account   ${charge?.accountId}`,
      'created   now (2026-01-01T00:00:00Z)',
      'expires   in 1d (2026-01-02T00:00:00Z)',
      `pay page  ${sandbox.server.url}/pay/${charge?.id}`,
    ]);
    expect(stdout).toMatch(/\npix code {2}000201\S+ SANDBOX\S+ PAULO\S+\n$/);
  });

  test('create refuses what the sandbox refuses, naming the field', async () => {
    await using sandbox = await cliSandbox();
    const error = await rejectionOf(
      sandbox.run('charges create', { options: { payerDocument: '1' } }),
      SandboxError,
    );
    expect(error.status).toBe(400);
    expect(error.body.details[0]?.field).toBe('payer_document');
    const wrongAmount = sandbox.run('charges create', { options: { amount: '10,00' } });
    expect((await rejectionOf(wrongAmount, CliError)).message).toContain('--amount must be digits');
    const usage = await rejectionOf(
      sandbox.run('charges create', { options: { metadata: ['order'] } }),
      CliError,
    );
    expect(usage.exitCode).toBe(EXIT.usage);
    expect(sandbox.server.sandbox.world.charges.rows).toHaveLength(0);
  });

  test('list fits a wide and a narrow terminal', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('charges create', { options: { code: 'order-1' } });
    await sandbox.run('charges create', { options: { code: LONG_CODE } });
    await sandbox.run('charges fail', { args: ['order-1'], options: { reason: 'AC03' } });
    const [first, second] = sandbox.server.sandbox.world.charges.rows.map(({ id }) => id);
    const narrow = await sandbox.run('charges list', { columns: 80 });
    expect(narrow.stdout.split('\n')).toEqual([
      'CODE                 STATUS   AMOUNT  ID                    AGE  EXPIRES  REASON',
      `order-with-a-name-…  PENDING  100.00  ${second?.slice(0, 19)}…  now  in 1d`,
      `order-1              FAILED   100.00  ${first?.slice(0, 19)}…  now           AC03`,
      '',
    ]);
    const wide = await sandbox.run('charges list', { columns: 120 });
    expect(wide.stdout.split('\n')).toEqual([
      'CODE                                         STATUS   AMOUNT  ID                                    AGE  EXPIRES  REASON',
      `${LONG_CODE.slice(0, 42)}…  PENDING  100.00  ${second}  now  in 1d`,
      `order-1                                      FAILED   100.00  ${first}  now           AC03`,
      '',
    ]);
    const piped = await sandbox.run('charges list');
    expect(piped.stdout).toContain(`\n${LONG_CODE}  PENDING  100.00  ${second}  now  in 1d`);
  });

  test('list goes on from page to page, and filters', async () => {
    await using sandbox = await cliSandbox();
    for (const code of ['a', 'b', 'c']) await sandbox.run('charges create', { options: { code } });
    await sandbox.run('charges settle', { args: ['b'] });
    const first = await sandbox.run('charges list', { options: { limit: '2' } });
    expect(first.stdout).toMatch(/^CODE.*\nc .*\nb .*\n$/);
    const after = /^older: --after (\S+)\n$/.exec(first.stderr)?.[1];
    const second = await sandbox.run('charges list', { options: { limit: '2', after } });
    expect(second.stdout).toMatch(/^CODE.*\na .*\n$/);
    const before = /^newer: --before (\S+)\n$/.exec(second.stderr)?.[1];
    expect((await sandbox.run('charges list', { options: { limit: '2', before } })).stdout).toBe(
      first.stdout,
    );
    const settled = await sandbox.runJson('charges list', { options: { status: 'SETTLED' } });
    expect(settled).toMatchObject({ data: [{ code: 'b' }], paging: { before: null, after: null } });
  });

  test('list says that there are none, and which statuses there are', async () => {
    await using sandbox = await cliSandbox();
    expect((await sandbox.run('charges list')).stdout).toBe('No charges.\n');
    const error = await rejectionOf(sandbox.run('charges list', { options: { status: 'setled' } }), CliError);
    expect(error.message).toBe('There is no charge status setled.');
    expect(error.hint).toBe('Did you mean SETTLED? Known: PENDING, EXPIRED, SETTLED, FAILED.');
  });

  test('show takes an id or a code, and gives the whole of it as JSON', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('charges create', { options: { code: 'order-1' } });
    const shown = await sandbox.runJson('charges show', { args: ['order-1'] });
    expect(shown).toMatchObject({ code: 'order-1', status: 'PENDING', created_at: START_INSTANT });
    expect(shown.qr_code_base64).toMatch(/^iVBOR/);
    const byId = await sandbox.run('charges show', { args: [String(shown.id)] });
    expect(byId.stdout).toMatch(/^charge {4}order-1\n/);
    const error = await rejectionOf(sandbox.run('charges show', { args: ['order/2?'] }), SandboxError);
    expect(error.body.message).toBe('There is no charge with the id or code order/2?.');
  });

  test('the payer’s side moves a charge', async () => {
    await using sandbox = await cliSandbox();
    for (const code of ['a', 'b', 'c'])
      await sandbox.run('charges create', { options: { code, amount: '5' } });
    const said = [
      await sandbox.run('charges settle', { args: ['a'] }),
      await sandbox.run('charges fail', { args: ['b'], options: { reason: 'AM02' } }),
      await sandbox.run('charges expire', { args: ['c'], colourLevel: 1 }),
    ].map(({ stdout }) => stdout);
    expect(said).toEqual([
      'charge a of 5.00 is SETTLED.\n',
      'charge b of 5.00 is FAILED (AM02).\n',
      'charge c of 5.00 is EXPIRED.\n',
    ]);
    const again = await rejectionOf(sandbox.run('charges fail', { args: ['a'] }), SandboxError);
    expect(again.body.code).toBe('INVALID_TRANSITION');
    const late = await sandbox.runJson('charges settle', { args: ['c'] });
    expect(late).toMatchObject({ code: 'c', status: 'SETTLED' });
  });
});

describe('withdrawals', () => {
  test('create, show and list', async () => {
    await using sandbox = await cliSandbox();
    const { stdout } = await sandbox.run('withdrawals create', {
      options: { amount: '25', code: 'payout-1', pixKey: 'maria@example.com' },
    });
    const [withdrawal] = sandbox.server.sandbox.world.withdrawals.rows;
    expect(stdout.split('\n')).toEqual([
      'withdrawal   payout-1',
      `id           ${withdrawal?.id}`,
      'status       PENDING',
      'amount       25.00 BRL, fee 1.00, net 24.00',
      'to           maria@example.com (EMAIL)',
      'beneficiary  Maria da Silva, 52998224725',
      `account      ${withdrawal?.accountId}`,
      'created      now (2026-01-01T00:00:00Z)',
      '',
    ]);
    expect((await sandbox.run('withdrawals show', { args: ['payout-1'] })).stdout).toBe(stdout);
    const narrow = await sandbox.run('withdrawals list', { columns: 80 });
    expect(narrow.stdout).toBe(
      [
        'CODE      STATUS   AMOUNT  ID                             AGE  PIX KEY',
        `payout-1  PENDING  25.00   ${withdrawal?.id.slice(0, 28)}…  now  maria@example.com\n`,
      ].join('\n'),
    );
    const wide = await sandbox.run('withdrawals list', { columns: 120 });
    expect(wide.stdout.split('\n')[1]).toBe(
      `payout-1  PENDING  25.00   ${withdrawal?.id}  now  maria@example.com`,
    );
    const json = await sandbox.runJson('withdrawals list', { options: { status: 'PENDING' } });
    expect(json).toMatchObject({ data: [{ code: 'payout-1', destination: { pix_key_type: 'EMAIL' } }] });
  });

  test('the side of the banks moves a withdrawal', async () => {
    await using sandbox = await cliSandbox();
    for (const code of ['a', 'b'])
      await sandbox.run('withdrawals create', { options: { code, amount: '5' } });
    const said = [
      await sandbox.run('withdrawals process', { args: ['a'] }),
      await sandbox.run('withdrawals settle', { args: ['a'] }),
      await sandbox.run('withdrawals return', { args: ['a'], options: { reason: 'BE01' } }),
      await sandbox.run('withdrawals fail', { args: ['b'] }),
    ].map(({ stdout }) => stdout);
    expect(said).toEqual([
      'withdrawal a of 5.00 is PROCESSING.\n',
      'withdrawal a of 5.00 is SETTLED.\n',
      'withdrawal a of 5.00 is FAILED (BE01).\n',
      'withdrawal b of 5.00 is FAILED (AC03).\n',
    ]);
    const error = await rejectionOf(sandbox.run('withdrawals list', { options: { status: 'X9' } }), CliError);
    expect(error.message).toBe('There is no withdrawal status X9.');
  });

  test('an unknown reason is a usage error that names close ones, and nothing is asked of the sandbox', async () => {
    await using sandbox = await cliSandbox();
    await sandbox.run('withdrawals create', { options: { code: 'a' } });
    const error = await rejectionOf(
      sandbox.run('withdrawals fail', { args: ['a'], options: { reason: 'AC3' } }),
      CliError,
    );
    expect(error).toMatchObject({ code: 'USAGE', message: 'There is no reason AC3.' });
    expect(error.hint).toMatch(/^Did you mean AC03\? Known: AB03, /);
    expect(sandbox.server.sandbox.world.withdrawals.rows).toMatchObject([{ status: 'PENDING' }]);
  });
});

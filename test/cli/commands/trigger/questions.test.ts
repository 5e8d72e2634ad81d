import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/program/errors.js';
import { EVENT_TYPES } from '../../../../src/contract/enums.js';
import { runBody } from '../../../helpers/cli/cli-io.js';
import { cliSandbox } from '../../../helpers/cli/cli-sandbox.js';
import { askedIn, completed } from '../../../helpers/cli/fake-asker.js';
import { rejectionOf } from '../../../helpers/thrown-by.js';

describe('trigger', () => {
  test('asks for the event alone where nothing is there', async () => {
    await using sandbox = await cliSandbox();
    const { asked, command } = await askedIn(sandbox, 'trigger', ['withdrawal.settled']);
    expect(asked).toEqual([{ question: 'Which event?', offered: [...EVENT_TYPES] }]);
    expect(command).toBe('$ npx sandbox trigger withdrawal.settled');
  });

  test('offers a new charge first, and then those that it can happen to', async () => {
    await using sandbox = await cliSandbox();
    for (const code of ['one', 'two']) await sandbox.run('charges create', { options: { code } });
    await sandbox.run('charges expire', { args: ['one'] });
    const { asked, command, args, options } = await askedIn(sandbox, 'trigger', [
      'pix.settled',
      'one  100.00  EXPIRED',
    ]);
    expect(asked[1]).toEqual({
      question: 'To which charge?',
      offered: ['a new charge', 'two  100.00  PENDING', 'one  100.00  EXPIRED'],
    });
    expect(command).toBe('$ npx sandbox trigger pix.settled --charge one');
    await sandbox.run('trigger', { args, options });
    const again = await askedIn(sandbox, 'trigger', ['pix.expired', 'a new charge']);
    expect(again.command).toBe('$ npx sandbox trigger pix.expired');
  });

  test.each([
    [{ charge: 'one' }, 3],
    [{ withdrawal: 'one' }, 2],
    [{ late: true }, 1],
    [{ amount: '5.00' }, 5],
    [{ count: '3' }, 5],
  ])('with %j offers what fits, and asks no more', async (options, count) => {
    await using sandbox = await cliSandbox();
    await sandbox.run('charges create', { options: { code: 'order-1' } });
    const [event = ''] = 'withdrawal' in options ? ['withdrawal.failed'] : ['pix.settled'];
    const answers = 'late' in options ? [event, 'a new charge'] : [event];
    const { asked } = await askedIn(sandbox, 'trigger', answers, { options });
    expect(asked[0]?.offered).toHaveLength(count);
  });

  test('says first that no sandbox is running', async () => {
    const env = { SANDBOX_URL: 'http://127.0.0.1:9' };
    const asking = completed('trigger', ['pix.settled'], {}, { env });
    await expect(asking).rejects.toThrow(/Nothing answers/);
  });

  test('without a terminal names the events', async () => {
    const error = await rejectionOf(runBody('trigger'), CliError);
    expect(error.exitCode).toBe(EXIT.usage);
    for (const type of EVENT_TYPES) expect(error.message).toContain(type);
  });
});

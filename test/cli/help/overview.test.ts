import { describe, expect, test } from 'vitest';
import { COMMAND_GROUPS, renderOverview } from '../../../src/cli/commands/table.js';
import { runBody } from '../../helpers/cli/cli-io.js';
import { runLine } from '../../helpers/cli/cli-line.js';
import { PROGRAM_NAME } from '../../../src/text/program-name.js';
import { TABLE } from '../../helpers/cli/commands.js';

describe('the overview', () => {
  test('the overview is one screen of 80 x 24, with a line left for the prompt', () => {
    expect(renderOverview(PROGRAM_NAME)).toMatchInlineSnapshot(`
      "A local PIX payments sandbox and webhook CLI.
      Usage: npx sandbox <command> [options]

      Get started:
        npx sandbox start --forward-to 3000   start and forward webhooks
        npx sandbox trigger pix.settled       simulate a paid charge
        npx sandbox open                      open the web console

      Start and stop       start, listen, env, open, status, wait, stop
      Create and trigger   trigger, charges, withdrawals, kyc
      Inspect              logs, trace, report, events, deliveries, calls, ledger
      Control time         clock, agenda
      Inject faults        faults, incident: api-down, webhooks-delayed, sent-twice, …
      Verify your code     check, explore, parity, verify, sign
      Run tests            exec, run, fixtures
      Save and restore     state, reset
      Applications         apps, endpoints
      Set up               init, config, assumptions, mcp, doctor, completion, help

      npx sandbox help <command>   show its options and examples
      npx sandbox help --all       list every command
      An id can be shortened. It can also be latest, or the code of a payment.
      Every command accepts --json, --url <url>, --no-color, --no-input."
    `);
    expect(renderOverview(PROGRAM_NAME).split('\n').length).toBeLessThan(24);
  });

  test('aligns its texts, and fits 80 columns, under a longer name', () => {
    const lines = renderOverview('npx pix-sandbox').split('\n');
    expect(lines).toContain('  npx pix-sandbox start --forward-to 3000   start and forward webhooks');
    expect(lines).toContain('  npx pix-sandbox open                      open the web console');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test('the overview is printed by help, and without a command', async () => {
    const asked = await runBody('help');
    expect(asked).toEqual({ stdout: `${renderOverview(PROGRAM_NAME)}\n`, stderr: '', exitCode: 0 });
    expect(await runLine('')).toEqual({
      stdout: '',
      stderr: `${renderOverview(PROGRAM_NAME)}\n`,
      exitCode: 2,
    });
  });

  test('names the first word of every command once', () => {
    const words = Object.values(COMMAND_GROUPS).flatMap((folders) => Object.keys(folders));
    expect(words).toEqual([...TABLE.folders.keys()]);
    for (const { name } of TABLE.commands) expect(words).toContain(name.split(' ')[0]);
  });
});

import { describe, expect, test } from 'vitest';
import { GROUPS, helpGroups } from '../../../src/cli/help/groups.js';
import { overviewText } from '../../../src/cli/help/overview.js';
import { asCalled } from '../../../src/text/program-name.js';
import { runBody } from '../../helpers/cli/cli-io.js';
import { runLine } from '../../helpers/cli/cli-line.js';
import { TABLE } from '../../helpers/cli/commands.js';

const linesAt = (columns: number) => overviewText(TABLE, columns).split('\n');

describe('the overview', () => {
  test('is one screen of 80 x 24, with a line left for the prompt', () => {
    expect(overviewText(TABLE, 80)).toMatchInlineSnapshot(`
      "A local PIX payments sandbox and webhook CLI.

      Usage: npx sandbox <command> [options]

      To begin:
        npx sandbox start --forward-to 3000   run the service for your code
        npx sandbox trigger pix.settled       have a charge paid
        http://localhost:7490                 see what happens

      Start and stop       start, listen, env, status, wait, stop
      Make things happen   trigger, charges, withdrawals, kyc
      See what happened    logs, trace, events, deliveries, calls, ledger
      Move time            clock, agenda
      Make things fail     faults
      Check your code      check, explore, verify, sign
      Run tests            exec, run, fixtures
      Keep and restore     state, reset
      Applications         apps, endpoints
      Set up               init, config, assumptions, doctor, completion, help

      npx sandbox help <command>   what it does, with options and examples
      npx sandbox help --all       every command in a line of its own
      Every command takes --json, --url <url>, --no-color, --no-input."
    `);
    expect(linesAt(80).length).toBeLessThan(24);
  });

  test('is the same on a larger screen, and where there is none', () => {
    for (const columns of [0, 100, 300]) expect(linesAt(columns)).toEqual(linesAt(80));
  });

  test('on a terminal of 40 columns has the texts below their terms', () => {
    expect(overviewText(TABLE, 40)).toMatchInlineSnapshot(`
      "A local PIX payments sandbox and webhook
      CLI.

      Usage: npx sandbox <command> [options]

      To begin:
        npx sandbox start --forward-to 3000
            run the service for your code
        npx sandbox trigger pix.settled
            have a charge paid
        http://localhost:7490
            see what happens

      Start and stop
          start, listen, env, status, wait,
          stop
      Make things happen
          trigger, charges, withdrawals, kyc
      See what happened
          logs, trace, events, deliveries,
          calls, ledger
      Move time
          clock, agenda
      Make things fail
          faults
      Check your code
          check, explore, verify, sign
      Run tests
          exec, run, fixtures
      Keep and restore
          state, reset
      Applications
          apps, endpoints
      Set up
          init, config, assumptions, doctor,
          completion, help

      npx sandbox help <command>
          what it does, with options and
          examples
      npx sandbox help --all
          every command in a line of its own
      Every command takes --json, --url <url>,
      --no-color, --no-input."
    `);
  });

  test.each([40, 50, 60, 72, 80, 100])('breaks no word at %i columns', (columns) => {
    expect(linesAt(columns).filter((line) => line.length > columns)).toEqual([]);
    const words = (lines: readonly string[]) => lines.join(' ').split(/\s+/);
    expect(words(linesAt(columns))).toEqual(words(linesAt(80)));
  });

  test.each(['npx pix-sandbox', 'pnpm dlx pix-sandbox'])('fits 80 columns called as %s', (program) => {
    const lines = asCalled(overviewText(TABLE), program).split('\n');
    expect(lines).toContain(`Usage: ${program} <command> [options]`);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  test('is what help prints, and what comes where no command was given', async () => {
    const asked = await runBody('help', { columns: 40 });
    expect(asked).toEqual({ stdout: `${overviewText(TABLE, 40)}\n`, stderr: '', exitCode: 0 });
    expect(await runLine('')).toEqual({ stdout: '', stderr: `${overviewText(TABLE)}\n`, exitCode: 2 });
  });
});

describe('the groups', () => {
  test('hold every command or group of commands once', () => {
    expect(GROUPS.flatMap(([, names]) => names).toSorted()).toEqual([...TABLE.folders.keys()].toSorted());
  });

  test('show one that no group names at the end', () => {
    const [name, folder] = [...TABLE.folders][0] ?? [];
    if (name === undefined || folder === undefined) throw new Error('Expected a command.');
    const groups = helpGroups({
      commands: [],
      folders: new Map([
        [name, folder],
        ['novel', folder],
      ]),
    });
    expect(groups.map(({ title, folders }) => [title, folders.map(([each]) => each)])).toEqual([
      ['Start and stop', ['start']],
      ['More', ['novel']],
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';
import { bashInTerminal, hasColour, inTerminal, KEYS, wideLines } from '../helpers/cli/pty.js';

interface Page {
  readonly data: readonly { readonly code: string; readonly status: string; readonly amount: string }[];
}

async function chargesOf(project: Project): Promise<Page['data']> {
  return (await project.ask<Page>(['charges', 'list'])).data;
}

async function withCharges(project: Project, ...codes: readonly string[]): Promise<void> {
  for (const code of codes) await project.ask(['charges', 'create', '--code', code, '--amount', '12.50']);
}

describe('prompts for missing values', () => {
  test('trigger asks for the event and one of the existing charges', async () => {
    using project = new Project();
    await using _sandbox = await project.start();
    await withCharges(project, 'order-1', 'order-2');
    using terminal = inTerminal(project, ['trigger']);
    await terminal.shows('Which event?');
    await terminal.shows('withdrawal.failed');
    terminal.type(KEYS.down);
    await terminal.shows('the payment fails');
    terminal.type(KEYS.enter);
    await terminal.shows('For which charge?');
    await terminal.shows('a new charge');
    await terminal.shows('order-2  12.50  PENDING');
    await terminal.shows('order-1');
    terminal.type(KEYS.down + KEYS.enter);
    await terminal.shows('$ npx sandbox trigger pix.failed --charge order-2');
    await terminal.shows('charge order-2');
    expect(await terminal.ended()).toBe(0);
    expect(wideLines(terminal.output)).toEqual([]);
    expect(hasColour(terminal)).toBe(true);
    expect(await chargesOf(project)).toMatchObject([
      { code: 'order-2', status: 'FAILED' },
      { code: 'order-1', status: 'PENDING' },
    ]);
  });
});

describe('a question', () => {
  test.for([
    ['Ctrl-C', KEYS.ctrlC],
    ['Ctrl-D', KEYS.ctrlD],
  ] as const)('changes nothing and restores the terminal after %s', async ([, key]) => {
    using project = new Project();
    await using _sandbox = await project.start();
    await withCharges(project, 'order-1');
    using terminal = bashInTerminal(
      project,
      '$SANDBOX charges settle; echo "left with $?"; stty -a | grep -o "[-]*icanon"; read word; echo "read $word"',
    );
    await terminal.shows('Which charge');
    terminal.type(key);
    await terminal.shows('Nothing was changed');
    await terminal.shows('left with 130');
    expect(await terminal.shows(/-?icanon/)).not.toContain('-icanon');
    terminal.type('plain words\r');
    await terminal.shows('read plain words');
    expect(await terminal.ended()).toBe(0);
    expect(await chargesOf(project)).toMatchObject([{ code: 'order-1', status: 'PENDING' }]);
  });

  test('ends with the command when that is stopped', async () => {
    using project = new Project();
    await using _sandbox = await project.start();
    using terminal = inTerminal(project, ['trigger']);
    await terminal.shows('Which event?');
    terminal.signal('SIGTERM');
    expect(await terminal.ended()).toBe(143);
  });

  test('goes to stderr: stdout contains only the result', async () => {
    using project = new Project();
    await using _sandbox = await project.start();
    using terminal = bashInTerminal(project, '$SANDBOX charges settle 2> errors.txt; echo "left with $?"');
    await terminal.shows('left with 2');
    expect(terminal.output).not.toContain('Which charge');
  });

  test.for([
    ['stdin is no terminal', 'echo | $SANDBOX trigger', {}],
    ['stdout is no terminal', '$SANDBOX trigger | cat; exit ${PIPESTATUS[0]}', {}],
    ['--no-input says so', '$SANDBOX trigger --no-input', {}],
    ['--json is wanted', '$SANDBOX trigger --json', {}],
    ['a CI runs it', '$SANDBOX trigger', { CI: 'true' }],
  ] as const)('a question is not asked if %s', async ([, script, env]) => {
    using project = new Project();
    await using _sandbox = await project.start();
    using terminal = bashInTerminal(project, script, env);
    expect(await terminal.ended()).toBe(2);
    expect(terminal.output).toContain('pix.settled');
    expect(terminal.output).not.toContain('?25l');
  });
});

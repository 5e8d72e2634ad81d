import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';
import { App } from '../helpers/e2e/e2e-app.js';
import type { Terminal } from '../helpers/cli/pty.js';
import { bashInTerminal, inTerminal, KEYS, wideLines } from '../helpers/cli/pty.js';

/** The state of the terminal afterwards, and whether it echoes what is typed. */
const AFTERWARDS =
  'echo "left with $?"; stty -a | grep -oE "[-]?(icanon|echo) " | tr "\\n" " "; echo; read word; echo "read $word"';

const START = ['start', '--port', '0', '--freeze', '2026-01-31T12:00:00Z'];

async function started(terminal: Terminal): Promise<string> {
  const text = await terminal.shows('? help');
  return /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';
}

/** How the terminal was left, after which a line that is typed is read as ever. */
async function modesAfterwards(terminal: Terminal): Promise<string[]> {
  const modes = (await terminal.shows(/-?icanon[^\n]*\n/)).match(/-?(?:icanon|echo)\b/g);
  terminal.type('plain words\r');
  await terminal.shows('read plain words');
  return modes ?? [];
}

const AS_A_SHELL_WANTS_IT = ['icanon', 'echo'];

describe('the keys of start', () => {
  test('the keys of start do what the hint says, on a screen of 80 columns', async () => {
    using project = new Project();
    project.write('xdg-open', '#!/bin/sh\necho "$1" > opened\n');
    chmodSync(join(project.folder, 'xdg-open'), 0o755);
    const env = { PATH: `${project.folder}:${process.env.PATH}`, DISPLAY: ':0' };
    using terminal = inTerminal(project, START, env);
    const url = await started(terminal);
    const { SANDBOX_WEBHOOK_SECRET = '' } = await project.ask<Record<string, string>>(['env']);
    await using app = await App.start(SANDBOX_WEBHOOK_SECRET);
    await using listener = await project.listen(['--forward-to', app.url]);
    for (const [choice, event] of [
      ['1', 'pix.settled'],
      [KEYS.down + KEYS.down + KEYS.enter, 'pix.expired'],
    ] as const) {
      terminal.type('t');
      await terminal.shows('1 pix.settled');
      terminal.type(choice);
      await terminal.shows('DELIVERED  200');
      await listener.stdout.next(event);
    }
    for (const [key, shown] of [
      ['p', 'Deliveries are paused'],
      ['p', 'Released: 0.'],
      ['o', `Open ${url}/`],
      ['?', 'reset the sandbox, after a confirmation'],
      ['r', 'y or n'],
      ['y', 'The sandbox was reset.'],
    ] as const) {
      terminal.type(key);
      await terminal.shows(shown);
    }
    expect(await project.ask(['charges', 'list'])).toMatchObject({ data: [] });
    // The browser is another process, which nothing waits for.
    const opened = join(project.folder, 'opened');
    await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toBe(`${url}/\n`);
    await listener.leave();
    terminal.type('q');
    expect(await terminal.ended()).toBe(130);
    expect(wideLines(terminal.output)).toEqual([]);
  });

  test.for([
    ['q', 'q', 130],
    ['Ctrl-C', KEYS.ctrlC, 130],
    ['SIGTERM', undefined, 143],
  ] as const)('%s stops it, and the terminal is restored', async ([, key, exitCode]) => {
    using project = new Project();
    using terminal = bashInTerminal(project, `trap : INT; $SANDBOX ${START.join(' ')}; ${AFTERWARDS}`);
    await started(terminal);
    if (key === undefined) process.kill((await project.ask<{ pid: number }>(['status'])).pid, 'SIGTERM');
    else terminal.type(key);
    await terminal.shows(`left with ${exitCode}`);
    expect(await modesAfterwards(terminal)).toEqual(AS_A_SHELL_WANTS_IT);
  });

  test('a crash restores the terminal', async () => {
    using project = new Project();
    project.write('crash.mjs', `process.on('SIGUSR2', () => { throw new Error('planted'); });`);
    const env = { NODE_OPTIONS: `--import=${join(project.folder, 'crash.mjs')}` };
    using terminal = bashInTerminal(project, `$SANDBOX ${START.join(' ')}; ${AFTERWARDS}`, env);
    await started(terminal);
    const { pid } = await project.ask<{ pid: number }>(['status']);
    process.kill(pid, 'SIGUSR2');
    await terminal.shows('planted');
    await terminal.shows('left with 70');
    expect(await modesAfterwards(terminal)).toEqual(AS_A_SHELL_WANTS_IT);
  });

  test('the keys of start are available again after Ctrl-Z and fg', async () => {
    using project = new Project();
    const script = `set -m; $SANDBOX ${START.join(' ')}; stty -a | grep -oE "[-]?icanon "; echo stopped; fg > /dev/null; ${AFTERWARDS}`;
    using terminal = bashInTerminal(project, script);
    await started(terminal);
    terminal.type(KEYS.ctrlZ);
    expect(await terminal.shows('stopped')).not.toContain('-icanon');
    // Keys come to it only when it has the terminal again.
    await project.run(['wait', 'ready']);
    terminal.type('h');
    await terminal.shows('reset the sandbox, after a confirmation');
    terminal.type('q');
    await terminal.shows('left with 130');
    expect(await modesAfterwards(terminal)).toEqual(AS_A_SHELL_WANTS_IT);
  });
});

test('Ctrl-Z and Ctrl-C also reach the process that started the sandbox and waits for it', async () => {
  using project = new Project();
  project.write('outer.sh', `trap 'echo told' INT; $SANDBOX ${START.join(' ')}; echo "inner $?"`);
  const script = 'set -m; bash outer.sh; echo stopped; fg > /dev/null';
  using terminal = bashInTerminal(project, script);
  await started(terminal);
  terminal.type(KEYS.ctrlZ);
  await terminal.shows('stopped');
  await project.run(['wait', 'ready']);
  terminal.type(KEYS.ctrlC);
  expect(await terminal.shows('inner 130')).toContain('told');
});

describe('a start without keys', () => {
  test('continues and ends after Ctrl-Z and bg', async () => {
    using project = new Project();
    const script = `set -m; $SANDBOX ${START.join(' ')}; bg > /dev/null; read word; kill %1; wait %1; echo "left with $?"`;
    using terminal = bashInTerminal(project, script);
    await started(terminal);
    terminal.type(KEYS.ctrlZ);
    await terminal.shows('Stopped');
    expect((await project.run(['wait', 'ready'])).exitCode).toBe(0);
    terminal.type('p\r');
    await terminal.shows('left with 143');
    expect(terminal.output).not.toContain('paused');
  });

  test('runs in the background, where reading keys would stop it', async () => {
    using project = new Project();
    const script = `set -m; $SANDBOX ${START.join(' ')} & read word; echo "read $word"; kill %1; wait %1; echo "left with $?"`;
    using terminal = bashInTerminal(project, script);
    await started(terminal);
    expect((await project.run(['wait', 'ready'])).exitCode).toBe(0);
    terminal.type('plain words\r');
    await terminal.shows('read plain words');
    await terminal.shows('left with 143');
    expect(await terminal.ended()).toBe(0);
  });

  test.for([
    ['where nobody can type', `: | $SANDBOX ${START.join(' ')}`, {}],
    ['with --no-input', `$SANDBOX ${START.join(' ')} --no-input`, {}],
    ['in a CI', `$SANDBOX ${START.join(' ')}`, { CI: '1' }],
  ] as const)('start has no keys: %s', async ([, script, env]) => {
    using project = new Project();
    using terminal = bashInTerminal(project, script, env);
    await terminal.shows('Press Ctrl-C to stop.');
    await project.run(['wait', 'ready']);
    terminal.type('t');
    await project.json(['stop']);
    await terminal.ended();
    expect(terminal.output).not.toContain('Keys:');
    expect(terminal.output).not.toContain('Which event?');
  });
});

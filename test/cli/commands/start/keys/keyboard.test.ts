import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { hasTerminal, parseKeys, openPage } from '../../../../../src/cli/commands/start/keys/keyboard.js';
import { tempFolder } from '../../../../helpers/temp-folder.js';

describe('the group that controls the terminal', () => {
  test.each([
    ['4242 (node) S 4000 4242 4000 34816 4242 4194304', true],
    ['4242 (a) 1 2 (b) S 4000 4242 4000 34816 4242 4194304', true],
    // No terminal at all.
    ['4242 (node) S 4000 4242 4000 0 -1 4194304', false],
  ])('%s: %s', (stat, expected) => {
    expect(hasTerminal(stat)).toBe(expected);
  });
});

const URL = "http://127.0.0.1:7490/session/kyc_1?a=$(touch pwned)&b='";

describe('opening a page', () => {
  test('passes the URL unchanged, without a shell', async () => {
    using folder = tempFolder();
    folder.write(
      'xdg-open',
      `#!/bin/sh\nprintf %s "$1" > '${folder.path}/part' && mv '${folder.path}/part' '${folder.path}/opened'\n`,
    );
    chmodSync(join(folder.path, 'xdg-open'), 0o755);
    vi.stubEnv('PATH', `${folder.path}:${process.env.PATH}`);
    openPage(URL, { DISPLAY: ':0' }, 'linux');
    await vi.waitFor(() => expect(existsSync(join(folder.path, 'opened'))).toBe(true), 10_000);
    expect(folder.read('opened').toString()).toBe(URL);
    vi.unstubAllEnvs();
  });

  test('opens no page without a screen', () => {
    expect(openPage(URL, {}, 'linux')).toBe(false);
  });

  test('ignores a missing program', async () => {
    vi.stubEnv('PATH', '/nowhere');
    expect(openPage(URL, { WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
    await setImmediate();
    vi.unstubAllEnvs();
  });
});

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const RIGHT = '\u001b[C';

test.each([
  ['t', ['t']],
  ['\u{1F600}', ['\u{1F600}']],
  ['\u001b', ['\u001b']],
  [UP, ['up']],
  ['\u001bOB', ['down']],
  [DOWN + DOWN + UP, ['down', 'down', 'up']],
  [`${DOWN}\r`, ['down', '\r']],
  [`t${DOWN}${DOWN}\r`, ['t', 'down', 'down', '\r']],
  [RIGHT, []],
  ['retry, quit\r', []],
  [`ry${DOWN}`, []],
  [`${DOWN}r`, []],
])('parses %j as the keys %j', (typed, keys) => {
  expect(parseKeys(typed)).toEqual(keys);
});

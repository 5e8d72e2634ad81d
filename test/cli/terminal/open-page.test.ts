import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { formatConsoleUrl, openPage } from '../../../src/cli/terminal/open-page.js';
import { tempFolder } from '../../helpers/temp-folder.js';

const URL = "http://127.0.0.1:7490/session/kyc_1?a=$(touch pwned)&b='";

test('adds the token to the URL of the console where browsers never send it', () => {
  expect(formatConsoleUrl('http://127.0.0.1:7490')).toBe('http://127.0.0.1:7490/');
  expect(formatConsoleUrl('http://127.0.0.1:7490', 'a/b')).toBe('http://127.0.0.1:7490/#token=a%2Fb');
});

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

import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { openPage } from '../../../../../src/cli/commands/start/keys/keyboard.js';
import { tempFolder } from '../../../../helpers/temp-folder.js';

const URL = "http://127.0.0.1:7490/session/kyc_1?a=$(touch pwned)&b='";

describe('opening a page', () => {
  test('hands the address over as it is, without a shell', async () => {
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

  test('does nothing where there is no screen', () => {
    expect(openPage(URL, {}, 'linux')).toBe(false);
  });

  test('is no trouble where no program does it', async () => {
    vi.stubEnv('PATH', '/nowhere');
    expect(openPage(URL, { WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
    await setImmediate();
    vi.unstubAllEnvs();
  });
});

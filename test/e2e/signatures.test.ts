import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../helpers/temp-folder.js';

const BIN = join(import.meta.dirname, '../../bin/sandbox.js');
const SECRET = `whsec_${Buffer.from('the secret of an endpoint').toString('base64')}`;
/** Bytes that no text survives. */
const BODY = Buffer.from([0, 255, 13, 10, 0xc3, 0x28, 10]);

function sandbox(args: readonly string[], { cwd, input }: { cwd: string; input?: string | Uint8Array }) {
  const env = { PATH: process.env.PATH, XDG_STATE_HOME: cwd, SANDBOX_WEBHOOK_SECRET: SECRET };
  return spawnSync(process.execPath, [BIN, ...args], { cwd, env, ...(input === undefined ? {} : { input }) });
}

describe('the built command', () => {
  test('signs and verifies stdin byte for byte', () => {
    using folder = tempFolder();
    const cwd = folder.path;
    const signed = sandbox(['sign', 'webhook'], { cwd, input: BODY });
    expect(signed.stderr.toString()).toBe('');
    folder.write('headers', signed.stdout);
    const verify = ['verify', '-', '--headers', 'headers'];
    expect(sandbox(verify, { cwd, input: BODY }).status).toBe(0);
    expect(sandbox(verify, { cwd, input: BODY.toString() }).status).toBe(1);
    expect(sandbox(verify, { cwd, input: '' }).status).toBe(2);
  });

  test('finds its fixtures', () => {
    using folder = tempFolder();
    const shown = sandbox(['fixtures', 'show', 'pix.settled', '--json'], { cwd: folder.path });
    expect(JSON.parse(shown.stdout.toString())).toMatchObject({ type: 'pix.settled' });
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENV_FORMATS, formatEnv } from '../../../../src/cli/commands/env/formats.js';

const PLAIN = { SANDBOX_URL: 'http://127.0.0.1:7490', SANDBOX_WEBHOOK_SECRET: 'whsec_cGl4+/w==' };

test('plain values need no quotes in dotenv and github', () => {
  const lines = 'SANDBOX_URL=http://127.0.0.1:7490\nSANDBOX_WEBHOOK_SECRET=whsec_cGl4+/w==';
  expect(formatEnv(PLAIN, 'dotenv')).toBe(lines);
  expect(formatEnv(PLAIN, 'github')).toBe(lines);
});

test('json is the object', () => {
  expect(JSON.parse(formatEnv(PLAIN, 'json'))).toEqual(PLAIN);
});

test('dotenv takes the quotes that the value leaves free', () => {
  expect(formatEnv({ A: 'a b', B: "it's", C: '#no comment', D: '$x' }, 'dotenv')).toBe(
    "A='a b'\nB=`it's`\nC='#no comment'\nD='$x'",
  );
  expect(() => formatEnv({ A: '\'"`' }, 'dotenv')).toThrow('A holds every kind of quote');
});

test('dotenv is read back by Node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-'));
  try {
    const values = { A: 'a b', B: "it's", C: '#x', D: '', E: 'x=y', F: ' edges ' };
    const path = join(folder, '.env');
    writeFileSync(path, formatEnv(values, 'dotenv'));
    const code = 'process.stdout.write(JSON.stringify("ABCDEF".split("").map((name) => process.env[name])))';
    const read = execFileSync(process.execPath, [`--env-file=${path}`, '-e', code], { encoding: 'utf8' });
    expect(JSON.parse(read)).toEqual(Object.values(values));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('shell is read back by a shell, whatever the value', () => {
  const character = fc.constantFrom("'", '"', '`', '$', '\\', ' ', '\n', '!', '#', 'a');
  const value = fc.string({ unit: character, maxLength: 20 });
  fc.assert(
    fc.property(value, (text) => {
      const script = `${formatEnv({ NAME: text }, 'shell')}\nprintf '%s' "$NAME"`;
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test('github marks the end of a value of several lines', () => {
  expect(formatEnv({ A: 'one\nEND' }, 'github')).toBe('A<<END_\none\nEND\nEND_');
});

test('there are four formats', () => {
  expect(ENV_FORMATS).toEqual(['dotenv', 'json', 'shell', 'github']);
});

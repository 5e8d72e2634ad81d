import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPrintfCommand, quoteForShell } from '../../../src/text/shell/words.js';
import { tries } from '../../helpers/soak-scale.js';

function printed(command: string, shell = 'sh'): Buffer {
  const { stdout, stderr } = spawnSync(shell, ['-c', command]);
  expect(stderr.toString()).toBe('');
  return stdout;
}

test('quotes any text as one word of a shell', () => {
  const property = fc.property(fc.string({ unit: 'grapheme' }), (text) => {
    fc.pre(!text.includes('\0'));
    expect(printed(`printf '%s' ${quoteForShell(text)}`).toString('utf8')).toBe(text);
  });
  fc.assert(property, { numRuns: tries({ part: 15, whole: 200 }) });
});

test('quotes a word that begins with =, which zsh would look up as a program', () => {
  expect(quoteForShell('=ls')).toBe("'=ls'");
  expect(quoteForShell('a=b')).toBe('a=b');
});

test.for([
  ['nothing', ''],
  ['JSON', '{"code":"order-1"}'],
  ['quotes', `it's "so" \\ $HOME \`id\` %s !! \\n`],
  ['lines', '{\n\t"a": "b\\n"\r\n}\n'],
  ['a dash', '-n'],
  ['letters of many scripts', 'ção 😀 日本 '.repeat(300)],
  ['bytes that are no text', Buffer.from([0, 255, 10, 13, 0xc3, 0x28])],
  ['NUL', '{"a":"\0"}'],
  ['characters that change the direction', 'a\u202eb'],
  ['a long line of bytes', Buffer.alloc(5_000, '\0\x01')],
] as const)('prints %s exactly', ([, given]) => {
  const bytes = Buffer.from(given as string);
  const command = createPrintfCommand(bytes);
  // Only shells that are installed can be tried; sh and bash are everywhere.
  for (const shell of ['sh', 'bash'])
    expect(printed(command, shell).toString('hex')).toBe(bytes.toString('hex'));
  expect(Math.max(...command.split('\n').map((line) => Buffer.byteLength(line)))).toBeLessThan(4_096);
});

import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCommand } from '../../../src/cli/prompts/prompter.js';

describe('a command line', () => {
  test.each([
    ['trigger', ['pix.settled'], {}, 'trigger pix.settled'],
    [
      'trigger',
      ['pix.settled'],
      { charge: 'order-1', wait: true },
      'trigger pix.settled --charge order-1 --wait',
    ],
    ['run', ['a', 'b c'], { forwardTo: '3000' }, "run a 'b c' --forward-to 3000"],
    ['trigger', ['x'], { metadata: ['a=1', "b=it's"] }, `trigger x --metadata a=1 --metadata 'b=it'\\''s'`],
    ['charges settle', ['-1'], { app: '-x' }, 'charges settle --app -x -- -1'],
    ['charges fail', [''], {}, "charges fail ''"],
    // What commander sets for those that were not typed.
    ['faults add', ['drop'], { color: true, input: true, json: undefined }, 'faults add drop'],
    ['faults add', ['drop'], { color: false }, 'faults add drop --no-color'],
  ])('formats %s %j %j', (command, args, options, text) => {
    expect(formatCommand(command, args, options)).toBe(text);
  });

  test('a command line is read back unchanged by a shell', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const args = words.map((text) => `x${text}`);
        const script = `printf '%s\\0' ${formatCommand('run', args, {})}`;
        const read = execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1);
        expect(read).toEqual(['run', ...args]);
      }),
      { numRuns: 30 },
    );
  });
});

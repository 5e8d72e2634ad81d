import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  expandCommand,
  listPlaceholderVariables,
  containsPlaceholder,
  fillUrlPlaceholders,
} from '../../../src/text/shell/placeholders.js';
import { tempFolder } from '../../helpers/temp-folder.js';
import { tries } from '../../helpers/soak-scale.js';

const ID = '11111111-1111-4111-8111-111111111111';

const HOSTILE = [
  'ord;touch${IFS}X',
  '$(touch${IFS}X)',
  '`touch${IFS}X`',
  `';touch\${IFS}X;'`,
  '";touch${IFS}X;"',
  `it's"both"`,
  String.raw`back\slash\\`,
  'trailing\\',
  '$&-$`-$1-$$',
  '-rf',
  '100%25%s%PATH%',
  '#comment',
  '*?[a-z]~',
  '{code}{id}',
  '!!&|<>()',
  'ção-日本-😀',
];

/** Commands that print `<code>`, and the part of the shell's syntax that surrounds the placeholder. */
const AROUND: readonly (readonly [place: string, command: string])[] = [
  ['no quotes', `printf '<%s>' {code}`],
  ['no quotes, inside a word', `printf '%s>' '<'{code}`],
  ['single quotes', `printf '%s' '<{code}>'`],
  ['double quotes', `printf '%s' "<{code}>"`],
  ['single quotes inside double quotes', `printf '%s' "it's '{code}'" | sed "s/it's '/</; s/'$/>/"`],
  ['double quotes inside single quotes', `printf '%s' '"{code}"' | sed 's/^"/</; s/"$/>/'`],
  ['single quotes after an escaped one', String.raw`printf '%s' 'it'\''s <{code}>' | sed "s/it's //"`],
  ['double quotes after an escaped one', String.raw`printf '%s' "\"<{code}>" | sed 's/^"//'`],
  ['an unquoted escaped quote before it', String.raw`printf '%s%s>' \' {code} | sed "s/^'/</"`],
  ['a subshell', `(printf '<%s>' {code})`],
  ['a pipeline', `true | printf '<%s>' {code}`],
  ['an assignment', `value={code}; printf '<%s>' "$value"`],
  ['the variable itself', `sh -c 'printf "<%s>" "$SANDBOX_CODE"'`],
];

/** What a command prints for each code. */
function printed(command: string, codes: readonly string[], cwd: string): string[] {
  return codes.map((code) => {
    const values = { code, id: ID };
    const expanded = expandCommand(command, values);
    if ('problem' in expanded) throw new Error(expanded.problem);
    const env = { PATH: process.env.PATH, ...listPlaceholderVariables(values) };
    const { stdout, stderr } = spawnSync('sh', ['-c', expanded.command], { cwd, env });
    expect(stderr.toString()).toBe('');
    return stdout.toString();
  });
}

describe('a placeholder in a shell command', () => {
  test.for(AROUND)('a placeholder in a shell command is one literal value in %s', ([, command]) => {
    using folder = tempFolder();
    expect(printed(command, HOSTILE, folder.path)).toEqual(HOSTILE.map((code) => `<${code}>`));
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('a placeholder in a shell command is one literal value for any characters', () => {
    using folder = tempFolder();
    const property = fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(...AROUND.slice(0, 4)),
      (code, [, command]) => {
        fc.pre(!/[\0\n]/.test(code));
        expect(printed(command, [code], folder.path)).toEqual([`<${code}>`]);
      },
    );
    fc.assert(property, { numRuns: tries({ part: 15, whole: 300 }) });
  });

  test('a placeholder in a shell command may be repeated, and may be next to the id', () => {
    using folder = tempFolder();
    const command = `printf '%s %s %s' {code} "{id}" '{code}'`;
    expect(printed(command, ['a$b'], folder.path)).toEqual([`a$b ${ID} a$b`]);
  });

  test.for([
    `sh -c 'curl localhost:3000/{code}'`,
    `docker exec -i app /bin/bash -e -lc "cat /orders/{code}"`,
    'ssh shop cat {code}',
    'eval "cat {code}"',
    `su - shop -c 'cat {code}'`,
    `printf '<%s>' "$(printf %s '{code}')"`,
    'echo "${NOTHING:-"{code}"}"',
    'cat <<END\n{code}\nEND',
    'echo `cat {code}`',
    String.raw`echo $'it\'s {code}'`,
    ": # it's a comment\ncat {code}",
  ])('a placeholder is one literal value in %s, and is rejected there if it needs quotes', (command) => {
    expect(expandCommand(command, { code: 'order-1', id: ID })).toEqual({
      command: command.replace('{code}', 'order-1'),
    });
    expect(expandCommand(command, { code: 'a;b', id: ID })).toEqual({
      problem:
        'The value of {code} cannot be quoted safely in this command; use the variable SANDBOX_CODE instead.',
    });
  });

  test('a placeholder in a shell command is quoted for an amount, and stays unchanged without one', () => {
    const values = { code: 'a', id: ID, amount: '$(touch X)' };
    expect(expandCommand("pay '{amount}'", values)).toEqual({ command: `pay ''"\${SANDBOX_AMOUNT}"''` });
    expect(expandCommand('pay {amount}', { code: 'a', id: ID })).toEqual({ command: 'pay {amount}' });
    expect(fillUrlPlaceholders('http://localhost/{amount}', { code: 'a', id: ID })).toBe(
      'http://localhost/{amount}',
    );
    expect(fillUrlPlaceholders('http://localhost/{amount}', { code: 'a', id: ID, amount: '0.30' })).toBe(
      'http://localhost/0.30',
    );
  });

  test('leaves all other text unchanged', () => {
    const nothing = "cat <<END \"`a`\" $((1)) '{other}' {\"code\":1} $'\\'' # {";
    expect(expandCommand(nothing, { code: 'a;b', id: ID })).toEqual({ command: nothing });
  });
});

test('percent-encodes a placeholder in a URL', () => {
  const url = 'http://localhost:3000/orders/{code}?id={id}';
  expect(fillUrlPlaceholders(url, { code: 'a/b?c#d$&{id}', id: 'é %' })).toBe(
    'http://localhost:3000/orders/a%2Fb%3Fc%23d%24%26%7Bid%7D?id=%C3%A9%20%25',
  );
});

test('passes only values without special characters to cmd.exe, which cannot quote others', () => {
  const command = 'curl localhost:3000/{code} "{id}"';
  expect(expandCommand(command, { code: 'order-1', id: ID }, 'win32')).toEqual({
    command: `curl localhost:3000/order-1 "${ID}"`,
  });
  for (const code of ['a&calc', 'a"b', '%PATH%', 'a^b', 'a|b', 'a!b', '$&'])
    expect(expandCommand(command, { code, id: ID }, 'win32')).toHaveProperty('problem');
});

test('commands refer to an order by placeholder or variable, URLs only by placeholder', () => {
  expect(containsPlaceholder('cat {code}', ['{code}'])).toBe(true);
  expect(containsPlaceholder('cat {id}', ['{code}'])).toBe(false);
  expect(containsPlaceholder('cat "$SANDBOX_ID"', ['{code}', '{id}'])).toBe(true);
  expect(containsPlaceholder('http://localhost/$SANDBOX_CODE', ['{code}'])).toBe(false);
  expect(containsPlaceholder('PUT http://localhost/$SANDBOX_CODE', ['{code}'])).toBe(false);
  expect(containsPlaceholder('pay "$SANDBOX_AMOUNT"', ['{amount}'])).toBe(true);
});

import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { detectProgramName } from '../../../src/cli/program/start-up.js';
import { tempFolder } from '../../helpers/temp-folder.js';

describe('the name of the program', () => {
  test('the program is named npx sandbox below a node_modules with the package, whatever the PATH has', () => {
    using folder = tempFolder();
    const within = join(folder.path, 'packages/api');
    mkdirSync(within, { recursive: true });
    folder.write('node_modules/pix-sandbox/package.json', '{}');
    folder.write('bin/pix-sandbox', '');
    const start = { env: { PATH: join(folder.path, 'bin') }, script: '' };
    for (const cwd of [within, folder.path]) expect(detectProgramName({ ...start, cwd })).toBe('npx sandbox');
  });

  test.each([
    ['npx pix-sandbox', [], []],
    ['npx pix-sandbox', ['sandbox'], []],
    ['sandbox', [], ['sandbox']],
    ['sandbox', ['sandbox', 'pix-sandbox'], []],
    ['pix-sandbox', ['pix-sandbox'], []],
  ] as const)(
    'the name of the program is %s if the PATH has files %j and links %j to it',
    (name, files, links) => {
      using folder = tempFolder();
      folder.write('pix/bin/sandbox.js', '');
      const script = join(folder.path, 'pix/bin/sandbox.js');
      for (const file of files) folder.write(`bin/${file}`, '');
      mkdirSync(join(folder.path, 'bin'), { recursive: true });
      for (const link of links) symlinkSync(script, join(folder.path, 'bin', link));
      const PATH = ['', join(folder.path, 'bin')].join(delimiter);
      expect(detectProgramName({ env: { PATH }, script, cwd: folder.path })).toBe(name);
    },
  );

  test('the name of the program is npx pix-sandbox if only npx has added it to the PATH', () => {
    using folder = tempFolder();
    folder.write('_npx/af18/node_modules/.bin/pix-sandbox', '');
    const PATH = join(folder.path, '_npx/af18/node_modules/.bin');
    expect(detectProgramName({ env: { PATH }, script: '', cwd: folder.path })).toBe('npx pix-sandbox');
  });
});

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { nameOf, STRICT_PROJECTS, writeStrictProject } from '../release/user/strict-projects.js';

const ROOT = join(import.meta.dirname, '../..');
const IMPORTED = /(?:from|import)\s*\(?["']([^"']+)["']/g;
const entries = Object.values(packageJson.exports).filter((entry) => typeof entry === 'object');
const SYSTEMS = ['import', 'require'];

const folder = mkdtempSync(join(tmpdir(), 'pix-sandbox-types-'));
beforeAll(() => {
  const home = join(folder, 'node_modules/pix-sandbox');
  cpSync(join(ROOT, 'dist/types'), join(home, 'dist/types'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The texts of the declaration files that these lead to, by path. */
function declared(...types) {
  const found = new Map(types.map((file) => [join(ROOT, file), '']));
  for (const file of found.keys()) {
    found.set(file, readFileSync(file, 'utf8'));
    for (const [, target] of found.get(file).matchAll(IMPORTED)) {
      if (!target.startsWith('.')) throw new Error(`${file} imports ${target}.`);
      const path = join(dirname(file), target.replace(/\.(c?)js$/, '.d.$1ts'));
      if (!found.has(path)) found.set(path, '');
    }
  }
  return found;
}

const DECLARED = entries.flatMap((entry) => SYSTEMS.map((system) => entry[system].types));

test.each(DECLARED)('%s needs no package and no types of Node', (types) => {
  const texts = [...declared(types).values()].join('\n');
  expect(texts).not.toMatch(/\bBuffer\b|\bNodeJS\.|<reference types|\bUint8Array</);
});

test.each(SYSTEMS)('the declarations for %s contain the public API', (system) => {
  const files = declared(...entries.map((entry) => entry[system].types));
  const all = [...files.values()].join('\n');
  // What public-types.d.ts exports, the main entry exports.
  const others = [...files].flatMap(([file, text]) => (/public-types\.d\.c?ts$/.test(file) ? [] : text));
  const names = others
    .join('\n')
    .match(/(?<=^export (?:declare )?(?:interface|type|class|const|function) )\w+/gm);
  expect(names.length).toBeGreaterThan(50);
  const timesNamed = (name) => all.match(new RegExp(`\\b${name}\\b`, 'g')).length;
  expect(names.filter((name) => timesNamed(name) < 2)).toEqual([]);
  expect(all).not.toMatch(/\b(?:World|Schema|Infer|ControlClient|Transport|dispatch)\b|@internal/);
  expect(all.length).toBeLessThan(80_000);
});

const namesIn = (text, lists) => (text.match(lists) ?? []).join().match(/\w+/g) ?? [];

/** The names of the types that a declaration file exports. */
function typesIn(file) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const files = text.match(/(?<=^export type \* from '\.\/)[^']+(?=\.js)/gm) ?? [];
  const passedOn = files.flatMap((name) => typesIn(join(dirname(file), `${name}.d.ts`)));
  return [...namesIn(text, /(?<=^export type )(?:{[^}]*}|\w+(?= =))/gm), ...passedOn].sort(byText);
}
const byText = (one, other) => (one < other ? -1 : 1);

test('the entries of the package export these names', async () => {
  const texts = entries.map(async ({ import: { types, default: file } }) => {
    const declared = namesIn(readFileSync(join(ROOT, types), 'utf8'), /(?<=^export ){[^}]*}/gm).sort(byText);
    const values = declared.length > 0 ? Object.keys(await import(join(ROOT, file))) : [];
    expect(values.sort(byText)).toEqual(declared);
    const names = `${file}: ${values.join(', ')}; types ${typesIn(types).join(', ')}`;
    return `${names.replaceAll(/(.{1,240})(?: |$)/g, '$1\n').trim()}\n`;
  });
  await expect((await Promise.all(texts)).join('')).toMatchFileSnapshot('exports.txt');
});

const COMMON_JS = { moduleResolution: 'node16', surroundings: '@types/node', isCommonJs: true };
const BUNDLED = { moduleResolution: 'bundler', surroundings: '@types/node', isCommonJs: false };
const CHECKED = [COMMON_JS, BUNDLED, { ...BUNDLED, moduleResolution: 'nodenext', surroundings: 'nothing' }];

test.each(CHECKED.map((project) => [nameOf(project), project]))(
  'a strict project compiles: %s',
  (_, project) => {
    expect(STRICT_PROJECTS).toContainEqual(project);
    const config = writeStrictProject(folder, project, join(ROOT, 'node_modules/@types'));
    const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config];
    expect(spawnSync(process.execPath, tsc, { encoding: 'utf8' }).stdout).toBe('');
  },
);

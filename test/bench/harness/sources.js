import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { PACKAGE_ROOT } from './children.js';

const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));

/**
 * Bundles modules of src for measures within one process; they share what they import. Returns the URL of the folder that they
 * are in, under the same names with `.js`.
 * @param {import('../run.js').Bench} bench
 * @param {readonly string[]} modules such as core/apply
 */
export async function bundle({ folder }, modules) {
  const dir = join(folder, modules.join('-').replaceAll('/', '_'));
  await build({
    input: Object.fromEntries(modules.map((name) => [name, join(PACKAGE_ROOT, 'src', `${name}.ts`)])),
    platform: 'node',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: { target: 'node20', define: { __VERSION__: JSON.stringify(version) } },
    output: { dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
  });
  return pathToFileURL(`${dir}/`).href;
}

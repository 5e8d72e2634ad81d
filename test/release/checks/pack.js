import { join } from 'node:path';
import { run } from '../harness/commands.js';
import { ROOT, kilobytes } from '../harness/release.js';

/** @param {import('../harness/release.js').Release} release */
export async function build({ env }) {
  await run(['npm', 'run', 'build'], { cwd: ROOT, env });
  return 'built dist';
}

/**
 * Packs what was built; test/e2e/package.test.ts knows the names of what may be in.
 * @param {import('../harness/release.js').Release} release
 */
export async function pack(release) {
  const { env, folder } = release;
  const command = ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = Object.values(JSON.parse(await run(command, { cwd: ROOT, env })));
  release.packed = packed;
  release.tarball = join(folder, packed.filename);
  const listed = release.lists ? packed.files : byFolder(packed.files);
  return [
    `${packed.files.length} files of ${kilobytes(packed.unpackedSize)} kB`,
    ...listed.map(({ path, size }) => `${String(kilobytes(size)).padStart(8)} kB  ${path}`),
  ].join('\n');
}

/** Files at the top and in `dist` stand alone; of the others there are too many to be read. */
function byFolder(files) {
  const sums = new Map();
  for (const { path, size } of files) {
    const parts = path.split('/');
    const isAlone = parts.length === 1 || (parts.length === 2 && parts[0] !== 'fixtures');
    const name = isAlone ? path : `${parts.slice(0, 2).join('/')}${parts.length > 2 ? '/' : ''}`;
    const { count, sum } = sums.get(name) ?? { count: 0, sum: 0 };
    sums.set(name, { count: count + 1, sum: sum + size });
  }
  return Array.from(sums, ([name, { count, sum }]) => ({
    path: name.endsWith('/') ? `${name} (${count} files)` : name,
    size: sum,
  }));
}

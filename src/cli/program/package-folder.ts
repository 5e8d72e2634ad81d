import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE_NAME = 'pix-sandbox';

/** The folder of this package, searched upwards from a module, because bundle and sources are in different folders. */
export function packageFolder(moduleUrl: string = import.meta.url): string {
  const start = dirname(fileURLToPath(moduleUrl));
  for (let folder = start; ; folder = dirname(folder)) {
    if (isPackage(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) {
      throw new Error(`Expected ${start} to lie in the package ${PACKAGE_NAME}; it does not.`);
    }
  }
}

/** The path of a file that the package brings for its users, by its path below `fixtures`. */
export function fixturePath(name: string): string {
  return join(packageFolder(), 'fixtures', name);
}

function isPackage(path: string): boolean {
  if (!existsSync(path)) return false;
  const { name } = JSON.parse(readFileSync(path, 'utf8')) as { readonly name?: string };
  return name === PACKAGE_NAME;
}

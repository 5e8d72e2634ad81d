import { createHash } from 'node:crypto';
import { existsSync, promises } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLoader } from '../operation/loader.js';

/** A file of the built console. */
export interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Changes with the content, for the header ETag. */
  readonly tag: string;
}

/** What the build wrote for the browser: the shell, and its files by their names, which change with their content. */
export interface ConsoleFiles {
  readonly shell: ConsoleFile;
  readonly byName: ReadonlyMap<string, ConsoleFile>;
}

const FOLDER = 'dist/console';
const SHELL = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** The files of the console, read once and when first asked for; undefined where it is not built. */
export const consoleFiles = createLoader(load);

async function load(): Promise<ConsoleFiles | undefined> {
  const folder = builtFolder(dirname(fileURLToPath(import.meta.url)));
  if (folder === undefined) return undefined;
  const files = await Promise.all(
    (await promises.readdir(folder)).map(async (name) => [name, await fileOf(join(folder, name))] as const),
  );
  const byName = new Map(files);
  const shell = byName.get(SHELL);
  byName.delete(SHELL);
  return shell && { shell, byName };
}

async function fileOf(path: string): Promise<ConsoleFile> {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  const bytes = new Uint8Array(await promises.readFile(path));
  return { type, bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"` };
}

/** Searched upwards, because the bundle and the sources are at different depths. */
function builtFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const built = join(folder, FOLDER);
    if (existsSync(join(built, SHELL))) return built;
    if (folder === dirname(folder)) return undefined;
  }
}

import { readdirSync, readFileSync, lstatSync } from 'node:fs';
import { extname, join } from 'node:path';

export interface SourceFile {
  /** Relative to the project directory, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly isTest: boolean;
}

const SOURCE = new Set(
  '.js .mjs .cjs .jsx .ts .mts .cts .tsx .py .go .rb .php .java .kt .properties'.split(' '),
);
/** Starts an application of express-generator. */
export const NODE_PROGRAM = 'bin/www';
const SKIPPED_DIRECTORY =
  /^(?:\..*|node_modules|bower_components|vendor|dist|build|out|target|coverage|public|static|venv|env|site-packages|__pycache__|migrations)$/;
const TEST = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress)\/|(?:\.|_)(?:test|spec)\.\w+$|(?:^|\/)test_/;
const LIMITS = { files: 2000, entries: 20_000, bytes: 256 * 1024 };

/**
 * Reads a project's source files in breadth-first order, without following links. Stops after `LIMITS.files`
 * files. Skips files that are unreadable, larger than `LIMITS.bytes`, or have control characters in their path.
 */
export function readProjectSources(folder: string): readonly SourceFile[] {
  const files: SourceFile[] = [];
  const directories = [''];
  let entries = 0;
  for (const directory of directories) {
    for (const entry of listDirectory(join(folder, directory))) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if ((entries += 1) > LIMITS.entries || files.length >= LIMITS.files) return files;
      if (entry.isDirectory() && !SKIPPED_DIRECTORY.test(entry.name)) directories.push(path);
      if (
        !entry.isFile() ||
        !(SOURCE.has(extname(entry.name)) || path === NODE_PROGRAM) ||
        /\p{Cc}|\.min\.js$|\.d\.[cm]?ts$/u.test(path)
      )
        continue;
      const text = readSmallFile(join(folder, path));
      if (text !== '') files.push({ path, text, isTest: TEST.test(path) });
    }
  }
  return files;
}

function listDirectory(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Returns the text of a regular file, or an empty string if it is missing, unreadable or too large. */
export function readSmallFile(path: string): string {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= LIMITS.bytes ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

/** Returns the 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

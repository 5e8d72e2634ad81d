import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const MEMORY = ['/dev/shm'].find(isWritable);

/** A folder that goes away with all that is in it when its `using` ends. */
export interface TempFolder extends Disposable {
  readonly path: string;
  /** Writes a file, with the folders on its way; returns its name. */
  readonly write: (name: string, content: string | Uint8Array) => string;
  readonly read: (name: string) => Buffer;
}

export function tempFolder(): TempFolder {
  return folderIn(tmpdir());
}

/** The same in memory where the system offers that, for tests of thousands of file operations. */
export function memoryFolder(): TempFolder {
  return folderIn(MEMORY ?? tmpdir());
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function folderIn(parent: string): TempFolder {
  const path = mkdtempSync(join(parent, 'pix-sandbox-'));
  return {
    path,
    write: (name, content) => {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
      return name;
    },
    read: (name) => readFileSync(join(path, name)),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}

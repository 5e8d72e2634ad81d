import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder that goes away with all that is in it when its `using` ends. */
export interface TempFolder extends Disposable {
  readonly path: string;
  /** Writes a file, with the folders on its way; returns its name. */
  readonly write: (name: string, content: string | Uint8Array) => string;
  readonly read: (name: string) => Buffer;
}

export function tempFolder(): TempFolder {
  const path = mkdtempSync(join(tmpdir(), 'pix-sandbox-'));
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

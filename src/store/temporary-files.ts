import { randomBytes } from 'node:crypto';
import { regardless } from './files.js';
import type { Files, OpenFile } from './files.js';

/** A file that is whole and on the disk, and has no right name yet. */
export interface Draft {
  readonly path: string;
  /** Still open. */
  readonly file: OpenFile;
}

const DRAFT = /^(lock|journal|snapshot)\.[\w.]*\.draft$/;

/** Whether a name in a data directory is a draft, and what of. */
export function draftKindOf(name: string): string | undefined {
  return DRAFT.exec(name)?.[1];
}

/** Writes a draft of the file at `path`; where that fails nothing of it stays. */
export async function writeDraft(
  files: Files,
  path: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<Draft> {
  // A name of its own: what a dying owner may still do to its drafts touches nobody else's.
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  const file = await files.open(draft, 'create');
  try {
    await write(file);
    await file.sync();
  } catch (error) {
    await regardless(file.close());
    await regardless(files.remove(draft));
    throw error;
  }
  return { path: draft, file };
}

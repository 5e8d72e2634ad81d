import { randomBytes } from 'node:crypto';
import { regardless } from './files.js';
import type { Files, OpenFile } from './files.js';

/** A complete file on the disk that does not have its final name yet. */
export interface Draft {
  readonly path: string;
  /** Still open. */
  readonly file: OpenFile;
}

const DRAFT = /^(lock|journal|snapshot)\.[\w.]*\.draft$/;

/** Whether a name in a data directory is a draft, and of which file. */
export function draftKindOf(name: string): string | undefined {
  return DRAFT.exec(name)?.[1];
}

/** Writes a draft of the file at `path`; if that fails nothing of it remains. */
export async function writeDraft(
  files: Files,
  path: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<Draft> {
  // A unique name, so that a dying owner can only touch its own drafts.
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

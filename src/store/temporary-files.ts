import { randomBytes } from 'node:crypto';
import { createFile } from './files.js';
import type { Files, OpenFile } from './files.js';

const DRAFT = /^(lock|journal|snapshot)\.[\w.]*\.draft$/;

/** Whether a name in a data directory is a draft, and of which file. */
export function draftKindOf(name: string): string | undefined {
  return DRAFT.exec(name)?.[1];
}

/** A new name for a draft of the file at `path`. It is unique, so that a dying owner can only touch its own drafts. */
export function draftPath(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.draft`;
}

/** Puts a new file in the place of an existing one in a single step, right after `confirm`, and leaves it open. */
export function replaceFile(
  files: Files,
  path: string,
  write: (file: OpenFile) => Promise<void>,
  confirm?: () => Promise<unknown>,
): Promise<OpenFile> {
  const draft = draftPath(path);
  return createFile(files, draft, write, async () => {
    await confirm?.();
    await files.rename(draft, path);
  });
}

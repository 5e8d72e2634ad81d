/** Error codes of the operating system: the reason, and what to do. */
export const SYSTEM_ERRORS = {
  EACCES: { reason: 'permission is denied', fix: 'Check its permissions, or use another place.' },
  EDQUOT: { reason: 'the quota of this user is used up', fix: 'Free some space, or use another disk.' },
  EEXIST: { reason: 'something else has that name', fix: 'Move it away, or use another name.' },
  EFBIG: { reason: 'the file would be larger than is allowed', fix: 'Raise the limit: `ulimit -f`.' },
  EIO: { reason: 'the disk failed', fix: 'Check the disk, or use another.' },
  EISDIR: { reason: 'it is a folder', fix: 'Name a file.' },
  ELOOP: { reason: 'its links form a loop', fix: 'Fix the links, or use another place.' },
  EMFILE: {
    reason: 'this process has too many open files',
    fix: 'Raise the limit, for example with `ulimit -n 1024`.',
  },
  ENAMETOOLONG: { reason: 'its name is too long', fix: 'Use a shorter one.' },
  ENFILE: {
    reason: 'this machine has too many open files',
    fix: 'Close other programs, or raise the limit of the machine.',
  },
  ENODEV: { reason: 'there is no such device', fix: 'Use another place.' },
  ENOENT: { reason: 'there is no such file', fix: 'Check the path.' },
  ENOMEM: { reason: 'this machine has no memory left', fix: 'Close other programs, or raise the limit.' },
  ENOSPC: { reason: 'the disk is full', fix: 'Free some space, or use another disk.' },
  ENOTDIR: {
    reason: 'a part of its path is not a folder',
    fix: 'Check the path, or use another place.',
  },
  EPERM: { reason: 'permission is denied', fix: 'Check its permissions, or use another place.' },
  EROFS: { reason: 'the disk is read-only', fix: 'Use a writable place.' },
} as const;

/** Finds the entry of a code; undefined for codes unrelated to files. */
export function findSystemError(
  code: unknown,
): { readonly reason: string; readonly fix: string } | undefined {
  const isKnown = (text: string): text is keyof typeof SYSTEM_ERRORS => Object.hasOwn(SYSTEM_ERRORS, text);
  return typeof code === 'string' && isKnown(code) ? SYSTEM_ERRORS[code] : undefined;
}

/** Reasons and fixes for operating system errors. */
export const SYSTEM_ERRORS = {
  EACCES: { reason: 'permission is denied', fix: 'Check the permissions, or use another path.' },
  EDQUOT: { reason: 'the disk quota is exceeded', fix: 'Free some space, or use another disk.' },
  EEXIST: { reason: 'the name is already in use', fix: 'Move the existing file, or use another name.' },
  EFBIG: { reason: 'the file would exceed the size limit', fix: 'Raise the limit: `ulimit -f`.' },
  EIO: { reason: 'the disk failed', fix: 'Check the disk, or use another disk.' },
  EISDIR: { reason: 'it is a directory', fix: 'Specify a file.' },
  ELOOP: { reason: 'symbolic links form a loop', fix: 'Fix the links, or use another path.' },
  EMFILE: {
    reason: 'this process has too many open files',
    fix: 'Raise the limit, for example with `ulimit -n 1024`.',
  },
  ENAMETOOLONG: { reason: 'the name is too long', fix: 'Use a shorter name.' },
  ENFILE: {
    reason: 'this machine has too many open files',
    fix: 'Close other programs, or raise the system limit.',
  },
  ENODEV: { reason: 'there is no such device', fix: 'Use another path.' },
  ENOENT: { reason: 'there is no such file', fix: 'Check the path.' },
  ENOMEM: { reason: 'this machine is out of memory', fix: 'Close other programs, or raise the limit.' },
  ENOSPC: { reason: 'the disk is full', fix: 'Free some space, or use another disk.' },
  ENOTDIR: {
    reason: 'part of the path is not a directory',
    fix: 'Check the path, or use another path.',
  },
  EPERM: { reason: 'permission is denied', fix: 'Check the permissions, or use another path.' },
  EROFS: { reason: 'the disk is read-only', fix: 'Use a writable path.' },
} as const;

/** Returns the entry for an error code, or undefined for codes unrelated to files. */
export function findSystemError(
  code: unknown,
): { readonly reason: string; readonly fix: string } | undefined {
  const isKnown = (text: string): text is keyof typeof SYSTEM_ERRORS => Object.hasOwn(SYSTEM_ERRORS, text);
  return typeof code === 'string' && isKnown(code) ? SYSTEM_ERRORS[code] : undefined;
}

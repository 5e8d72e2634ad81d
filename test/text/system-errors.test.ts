import { expect, test } from 'vitest';
import { SYSTEM_ERRORS, findSystemError } from '../../src/text/system-errors.js';

test('every system error has a reason and a fix', () => {
  const said = Object.entries(SYSTEM_ERRORS).map(([code, { reason, fix }]) => `${code}: ${reason}. ${fix}`);
  expect(said).toEqual([
    'EACCES: permission is denied. Check the permissions, or use another path.',
    'EDQUOT: the disk quota is exceeded. Free some space, or use another disk.',
    'EEXIST: the name is already in use. Move the existing file, or use another name.',
    'EFBIG: the file would exceed the size limit. Raise the limit: `ulimit -f`.',
    'EIO: the disk failed. Check the disk, or use another disk.',
    'EISDIR: it is a directory. Specify a file.',
    'ELOOP: symbolic links form a loop. Fix the links, or use another path.',
    'EMFILE: this process has too many open files. Raise the limit, for example with `ulimit -n 1024`.',
    'ENAMETOOLONG: the name is too long. Use a shorter name.',
    'ENFILE: this machine has too many open files. Close other programs, or raise the system limit.',
    'ENODEV: there is no such device. Use another path.',
    'ENOENT: there is no such file. Check the path.',
    'ENOMEM: this machine is out of memory. Close other programs, or raise the limit.',
    'ENOSPC: the disk is full. Free some space, or use another disk.',
    'ENOTDIR: part of the path is not a directory. Check the path, or use another path.',
    'EPERM: permission is denied. Check the permissions, or use another path.',
    'EROFS: the disk is read-only. Use a writable path.',
  ]);
});

test('errors unrelated to files have no reason', () => {
  expect(findSystemError('ENOENT')).toBe(SYSTEM_ERRORS.ENOENT);
  for (const code of ['ECONNREFUSED', 'toString', 2, undefined])
    expect(findSystemError(code)).toBeUndefined();
});

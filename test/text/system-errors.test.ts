import { expect, test } from 'vitest';
import { SYSTEM_ERRORS, findSystemError } from '../../src/text/system-errors.js';

test('every system error has a reason and a fix', () => {
  const said = Object.entries(SYSTEM_ERRORS).map(([code, { reason, fix }]) => `${code}: ${reason}. ${fix}`);
  expect(said).toEqual([
    'EACCES: permission is denied. Check its permissions, or use another place.',
    'EDQUOT: the quota of this user is used up. Free some space, or use another disk.',
    'EEXIST: something else has that name. Move it away, or use another name.',
    'EFBIG: the file would be larger than is allowed. Raise the limit: `ulimit -f`.',
    'EIO: the disk failed. Check the disk, or use another.',
    'EISDIR: it is a folder. Name a file.',
    'ELOOP: its links form a loop. Fix the links, or use another place.',
    'EMFILE: this process has too many open files. Raise the limit, for example with `ulimit -n 1024`.',
    'ENAMETOOLONG: its name is too long. Use a shorter one.',
    'ENFILE: this machine has too many open files. Close other programs, or raise the limit of the machine.',
    'ENODEV: there is no such device. Use another place.',
    'ENOENT: there is no such file. Check the path.',
    'ENOMEM: this machine has no memory left. Close other programs, or raise the limit.',
    'ENOSPC: the disk is full. Free some space, or use another disk.',
    'ENOTDIR: a part of its path is not a folder. Check the path, or use another place.',
    'EPERM: permission is denied. Check its permissions, or use another place.',
    'EROFS: the disk is read-only. Use a writable place.',
  ]);
});

test('errors unrelated to files have no reason', () => {
  expect(findSystemError('ENOENT')).toBe(SYSTEM_ERRORS.ENOENT);
  for (const code of ['ECONNREFUSED', 'toString', 2, undefined])
    expect(findSystemError(code)).toBeUndefined();
});

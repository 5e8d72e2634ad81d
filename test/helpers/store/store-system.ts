import { existsSync, statSync, truncateSync } from 'node:fs';
import fileSystem from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import waits from 'node:timers/promises';
import { afterEach, beforeEach } from 'vitest';

/** An operation on a file or folder. */
export interface Operation {
  /** `create` and `read` are ways to open. */
  readonly name: string;
  readonly path: string;
  /** Of a rename. */
  readonly from?: string;
  /** Of a write: does the first half of it. */
  readonly half?: () => Promise<unknown>;
  /** Of a sync: the bytes in the file. */
  readonly size?: () => Promise<number>;
}

/** Does each operation, refuses it or waits. */
export type Around = <Result>(operation: Operation, work: () => Promise<Result>) => Promise<Result>;

export const system = {
  around: (async (_operation, work) => await work()) as Around,
  timers: new Set<() => void>(),
  wait: (_ms: number): Promise<void> => Promise.resolve(),
  /** Lets every timer fire once. */
  beat: () => {
    for (const call of system.timers) call();
  },
};

const actual = { ...fileSystem };
const { setInterval, clearInterval } = timers;
const { setImmediate, setTimeout } = waits;

/** Hands the file operations, timers and waits of each test in this file to `system`. */
export function useSystem(): void {
  beforeEach(() => {
    Object.assign(fileSystem, hookedFiles());
    Object.assign(timers, {
      setInterval: (call: () => void) => {
        system.timers.add(call);
        return { call, unref: () => ({ call }) };
      },
      clearInterval: ({ call }: { readonly call: () => void }) => system.timers.delete(call),
    });
    Object.assign(waits, { setTimeout: (ms: number) => system.wait(ms) });
    syncBuiltinESMExports();
  });
  afterEach(() => {
    Object.assign(fileSystem, actual);
    Object.assign(timers, { setInterval, clearInterval });
    Object.assign(waits, { setTimeout });
    syncBuiltinESMExports();
    resetSystem();
  });
}

let underWay = 0;

const run: Around = async (operation, work) => {
  underWay += 1;
  try {
    return await system.around(operation, work);
  } finally {
    underWay -= 1;
  }
};

/** Resolves when turns of the event loop have passed without an operation. */
export async function atRest(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet += 1) {
    await setImmediate();
    if (underWay > 0) quiet = -1;
  }
}

function hookedFiles(): Partial<typeof fileSystem> {
  const hooked = (name: 'mkdir' | 'readFile' | 'readdir' | 'rm' | 'rmdir' | 'stat') => {
    const work = actual[name] as (path: string, ...rest: unknown[]) => Promise<unknown>;
    return (path: string, ...rest: unknown[]) => run({ name, path }, () => work(path, ...rest));
  };
  const names = ['mkdir', 'readFile', 'readdir', 'rm', 'rmdir', 'stat'] as const;
  return {
    ...(Object.fromEntries(names.map((name) => [name, hooked(name)])) as Partial<typeof fileSystem>),
    rename: (from, path) =>
      run({ name: 'rename', path: String(path), from: String(from) }, () => actual.rename(from, path)),
    open: async (path, flags, mode) => {
      const name = flags === 'wx' ? 'create' : 'read';
      const handle = await run({ name, path: String(path) }, () => actual.open(path, flags, mode));
      return hookedHandle(handle, String(path));
    },
  };
}

function hookedHandle(handle: FileHandle, path: string): FileHandle {
  const appendFile = (data: Buffer | string) => {
    const bytes = Buffer.from(data);
    const half = () => handle.appendFile(bytes.subarray(0, bytes.length >> 1));
    return run({ name: 'write', path, half }, () => handle.appendFile(bytes));
  };
  const size = async () => (await handle.stat()).size;
  // No test switches a disk off.
  const sync = () => run({ name: 'sync', path, size }, () => Promise.resolve());
  // A descriptor is closed whatever else happens, or the tests would run out of them.
  const close = () => handle.close().then(() => run({ name: 'close', path }, () => Promise.resolve()));
  const hooked: Record<string, unknown> = { appendFile, sync, datasync: sync, close };
  return new Proxy(handle, {
    get: (target, name) => {
      const own = hooked[String(name)];
      const member: unknown = own ?? Reflect.get(target, name, target);
      return typeof member === 'function' && own === undefined ? (member.bind(target) as unknown) : member;
    },
  });
}

export function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall });
}

/** Lets operations fail with a code while `fails` gives one; a failed write does half of its work. */
export function failWhile(fails: (operation: Operation) => string | undefined): void {
  system.around = async (operation, work) => {
    const code = fails(operation);
    if (code === undefined) return await work();
    await operation.half?.();
    throw systemError(code, operation.name);
  };
}

/** Counts operations from 1, and lets some of them fail. Returns the count. */
export function failAt(code: string, fails: (count: number) => boolean): () => number {
  let count = 0;
  failWhile(() => {
    count += 1;
    return fails(count) ? code : undefined;
  });
  return () => count;
}

/** From the given operation on nothing happens any more; if it is a write, half of it still does. */
export function crashAt(at: number): () => number {
  let count = 0;
  const before = system.around;
  system.around = async (operation, work) => {
    count += 1;
    if (count < at) return await before(operation, work);
    if (count === at) await operation.half?.();
    throw systemError('EIO', 'the process is gone');
  };
  return () => count;
}

/** Remembers what was synced. Returns a power failure, which cuts every file to what is certainly on the disk. */
export function rememberSyncs(): () => void {
  const syncedBytes = new Map<string, { bytes: number }>();
  const atPath = new Map<string, { bytes: number }>();
  system.around = async ({ name, path, from = '', size }, work) => {
    if (name === 'create') {
      const synced = { bytes: 0 };
      syncedBytes.set(path, synced);
      atPath.set(path, synced);
    }
    const synced = syncedBytes.get(path);
    if (name === 'sync' && synced !== undefined) synced.bytes = (await size?.()) ?? 0;
    const result = await work();
    if (name === 'rename') {
      atPath.set(path, atPath.get(from) ?? { bytes: 0 });
      atPath.delete(from);
    }
    return result;
  };
  return () => {
    for (const [path, { bytes }] of atPath)
      if (existsSync(path) && statSync(path).size > bytes) truncateSync(path, bytes);
  };
}

export function resetSystem(): void {
  system.around = async (_operation, work) => await work();
  system.timers.clear();
  system.wait = () => Promise.resolve();
}

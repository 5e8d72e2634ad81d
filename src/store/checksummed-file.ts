import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { toError, createDamagedError, catchMissingFile, StoreError } from './store-error.js';
import type { FilePosition, FileSource } from './store-error.js';
import { parseJson } from '../text/json.js';

/** Versions of the package that writes a file, stored in the file's header. */
export interface FileWriter {
  /** Only files with the same core version can be read. */
  readonly coreVersion: number;
  /** Package version that error messages suggest for reading an incompatible file. */
  readonly packageVersion: string;
}

type Format = 'pix-sandbox-journal' | 'pix-sandbox-snapshot';

/** The first line of a file. A journal continues the snapshot with the same generation. */
export interface FileHeader {
  readonly format: string;
  readonly core: number;
  readonly version: string;
  readonly generation: number;
}

const SEAL = /^,"crc":"([0-9a-f]{8})"\}$/;
const SEAL_BYTES = 18;
const NEWLINE = 10;
/** Larger than any header. */
const HEADER_BYTES = 4_096;

function crcText(data: string | Buffer): string {
  return crc32(data).toString(16).padStart(8, '0');
}

/** Serializes an object as a JSON line that ends with a checksum of the preceding text. */
export function addChecksum(value: object): string {
  const body = JSON.stringify(value).slice(0, -1);
  return `${body},"crc":"${crcText(body)}"}\n`;
}

export function createHeaderLine(format: Format, writer: FileWriter, generation: number): string {
  const { coreVersion: core, packageVersion: version } = writer;
  return addChecksum({ format, core, version, generation, notice: 'Contains tokens and secrets.' });
}

export interface ChecksummedContent {
  readonly header: FileHeader;
  /** Number of complete lines after the header. */
  readonly lines: number;
  /** Position of an incomplete last line; null if there is none. */
  readonly truncatedAt: FilePosition | null;
}

/**
 * Reads a file of checksummed lines. Calls `onEntry` with each line after the header, without its checksum.
 * Throws a StoreError at the first damaged line, after passing on all earlier lines. Resolves to null if the
 * file does not exist.
 */
export async function readChecksummedFile(
  source: FileSource,
  format: Format,
  coreVersion: number,
  onEntry: (json: object, place: Required<FilePosition>, header: FileHeader) => void,
): Promise<ChecksummedContent | null> {
  const bytes = await readFile(source.path).catch(catchMissingFile);
  if (bytes === null) return null;
  let header: FileHeader | undefined;
  let line = 0;
  let byte = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, byte)) {
    line += 1;
    const place = { line, byte };
    const text = bytes.subarray(byte, end);
    if (header === undefined) header = readHeader(text, format, coreVersion, source);
    else onEntry(unsealed(text, place, source), place, header);
    byte = end + 1;
  }
  if (header === undefined) {
    const came = bytes.length === 0 ? 'an empty file' : 'part of a line';
    throw createDamagedError(source, { line: 1, byte: 0 }, `a ${format} header`, came);
  }
  return { header, lines: line - 1, truncatedAt: byte < bytes.length ? { line: line + 1, byte } : null };
}

/**
 * Parses the header. Rejects another format or core version before verifying the checksum, because other
 * versions can use a different checksum.
 */
function readHeader(line: Buffer, format: Format, coreVersion: number, source: FileSource): FileHeader {
  const place = { line: 1, byte: 0 };
  const json = parsed(line);
  if (!isHeader(json)) throw createDamagedError(source, place, `a ${format} header`, 'something else');
  if (json.format !== format)
    throw createDamagedError(source, place, `a ${format}`, `a ${JSON.stringify(json.format)}`);
  refuseOtherVersion(json, coreVersion, source);
  unsealed(line, place, source);
  return json;
}

function refuseOtherVersion({ core, version }: FileHeader, coreVersion: number, source: FileSource): void {
  if (core === coreVersion) return;
  const message =
    `: Expected a file with core version ${coreVersion}, got version ${core}, written by ` +
    `pix-sandbox ${version}. Nothing was changed. ${source.ifOtherVersion(version)}`;
  throw new StoreError('other-version', source.path, message);
}

/**
 * Rejects a file from another core version. Ignores other problems, which are reported when the file is read.
 */
export async function checkVersion(source: FileSource, coreVersion: number): Promise<void> {
  const file = await open(source.path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const start = buffer.subarray(0, bytesRead);
    const json = parsed(start.subarray(0, start.indexOf(NEWLINE)));
    if (isHeader(json)) refuseOtherVersion(json, coreVersion, source);
  } finally {
    await file.close();
  }
}

function isHeader(json: unknown): json is FileHeader {
  if (typeof json !== 'object' || json === null) return false;
  const { format, core, version, generation } = json as Record<string, unknown>;
  // Validate the version, because users paste it into a shell as part of a command.
  const isVersion = typeof version === 'string' && /^\d[\w.+-]*$/.test(version);
  const isGeneration = Number.isSafeInteger(generation) && Number(generation) >= 0;
  return typeof format === 'string' && Number.isSafeInteger(core) && isVersion && isGeneration;
}

function unsealed(line: Buffer, place: Required<FilePosition>, source: FileSource): object {
  const expected = `${place.line === 1 ? 'the header' : `entry ${place.line - 1}`} with a matching checksum`;
  const end = Math.max(0, line.length - SEAL_BYTES);
  const written = SEAL.exec(line.toString('latin1', end))?.[1];
  if (written === undefined) throw createDamagedError(source, place, expected, 'a line without a checksum');
  const crc = crcText(line.subarray(0, end));
  if (crc !== written) {
    throw createDamagedError(source, place, expected, `checksum ${written} instead of ${crc}`);
  }
  const json = parsed(line);
  if (typeof json !== 'object' || json === null) {
    throw createDamagedError(source, place, `entry ${place.line - 1} as JSON`, 'something else');
  }
  const { crc: _crc, ...value } = json as Record<string, unknown>;
  return value;
}

function parsed(line: Buffer): unknown {
  return parseJson(line.toString('utf8'));
}

/** An open, synced file with a temporary name. */
interface FileDraft {
  readonly file: FileHandle;
  /** Renames the file atomically, replacing any existing file. Resolves when the new file is on disk. */
  readonly publish: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** Returns true for a draft's name. An interrupted write can leave a draft behind. */
export function isDraft(name: string): boolean {
  return name.endsWith('.draft');
}

/** Writes a draft for the file at `path`, readable only by its owner. Deletes the draft on failure. */
export async function writeDraft(path: string, text: string): Promise<FileDraft> {
  // Use a unique name, so that a process suspended during a takeover changes only its own drafts.
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  const file = await open(draft, 'wx', 0o600);
  const discard = async () => {
    await ignoreFailure(file.close());
    await ignoreFailure(rm(draft, { force: true }));
  };
  try {
    await file.appendFile(text);
    await file.sync();
  } catch (error) {
    await discard();
    throw error;
  }
  const publish = async () => {
    await rename(draft, path);
    await syncDirectory(dirname(path));
  };
  return { file, publish, discard };
}

/** Replaces a file atomically, right after calling `confirm`. */
export async function replaceFile(
  path: string,
  text: string,
  confirm?: () => Promise<unknown>,
): Promise<void> {
  const draft = await writeDraft(path, text);
  try {
    await confirm?.();
    await draft.publish();
    await ignoreFailure(draft.file.close());
  } catch (error) {
    await draft.discard();
    throw error;
  }
}

/**
 * Flushes a directory's file names to disk. Windows cannot open directories, but its file systems keep file
 * names consistent.
 */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Waits for a cleanup and ignores its failure, so that the original error is reported. */
export async function ignoreFailure(work: Promise<unknown> | undefined): Promise<void> {
  await work?.catch(() => undefined);
}

export function formatErrorText(error: unknown): string {
  return toError(error).message;
}

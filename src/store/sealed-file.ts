import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { toError, createDamagedError, returnNullIfMissing, StoreError } from './store-error.js';
import type { FilePosition, FileSource } from './store-error.js';
import { parseJson } from '../text/json.js';

/** The writer, as in the header of every file. */
export interface FileWriter {
  /** Only files of this version of the core can be read. */
  readonly coreVersion: number;
  /** Package version, named by a later version as the one able to read the file. */
  readonly packageVersion: string;
}

type Format = 'pix-sandbox-journal' | 'pix-sandbox-snapshot';

/** The first line of a file. A journal continues from the snapshot of its own generation. */
export interface Header {
  readonly format: string;
  readonly core: number;
  readonly version: string;
  readonly generation: number;
}

const SEAL = /^,"crc":"([0-9a-f]{8})"\}$/;
const SEAL_BYTES = 18;
const NEWLINE = 10;
/** More than a header takes. */
const HEADER_BYTES = 4_096;

function crcText(data: string | Buffer): string {
  return crc32(data).toString(16).padStart(8, '0');
}

/** A JSON object as a line whose last field is the checksum of the text before it. */
export function sealLine(value: object): string {
  const body = JSON.stringify(value).slice(0, -1);
  return `${body},"crc":"${crcText(body)}"}\n`;
}

export function createHeaderLine(format: Format, writer: FileWriter, generation: number): string {
  const { coreVersion: core, packageVersion: version } = writer;
  return sealLine({ format, core, version, generation, notice: 'Holds tokens and secrets.' });
}

export interface SealedContent {
  readonly header: Header;
  /** Number of whole lines after the header. */
  readonly lines: number;
  /** The rest after the last newline; null if there is none. */
  readonly truncatedAt: FilePosition | null;
}

/**
 * Reads a file of sealed lines and passes on the lines after the header, without their checksums. Throws a
 * StoreError for the first damaged one, after those before it; null if there is no file.
 */
export async function readSealed(
  source: FileSource,
  format: Format,
  coreVersion: number,
  take: (json: object, place: Required<FilePosition>, header: Header) => void,
): Promise<SealedContent | null> {
  const bytes = await readFile(source.path).catch(returnNullIfMissing);
  if (bytes === null) return null;
  let header: Header | undefined;
  let line = 0;
  let byte = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, byte)) {
    line += 1;
    const place = { line, byte };
    const text = bytes.subarray(byte, end);
    if (header === undefined) header = readHeader(text, format, coreVersion, source);
    else take(unsealed(text, place, source), place, header);
    byte = end + 1;
  }
  if (header === undefined) {
    const came = bytes.length === 0 ? 'an empty file' : 'part of a line';
    throw createDamagedError(source, { line: 1, byte: 0 }, `the header of a ${format}`, came);
  }
  return { header, lines: line - 1, truncatedAt: byte < bytes.length ? { line: line + 1, byte } : null };
}

/** Refuses another format or version of the core, whatever else the line is: they may seal their lines otherwise. */
function readHeader(line: Buffer, format: Format, coreVersion: number, source: FileSource): Header {
  const place = { line: 1, byte: 0 };
  const json = parsed(line);
  if (!isHeader(json)) throw createDamagedError(source, place, `the header of a ${format}`, 'something else');
  if (json.format !== format)
    throw createDamagedError(source, place, `a ${format}`, `a ${JSON.stringify(json.format)}`);
  refuseOtherVersion(json, coreVersion, source);
  unsealed(line, place, source);
  return json;
}

function refuseOtherVersion({ core, version }: Header, coreVersion: number, source: FileSource): void {
  if (core === coreVersion) return;
  const message =
    `: Expected what version ${coreVersion} of the core wrote, got version ${core}, by ` +
    `pix-sandbox ${version}. Nothing was changed. ${source.ifOtherVersion(version)}`;
  throw new StoreError('other-version', source.path, message);
}

/** Refuses a file of another version of the core; its reader refuses everything else. */
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

function isHeader(json: unknown): json is Header {
  if (typeof json !== 'object' || json === null) return false;
  const { format, core, version, generation } = json as Record<string, unknown>;
  // The version becomes part of a command that users paste into a shell.
  const isVersion = typeof version === 'string' && /^\d[\w.+-]*$/.test(version);
  const isGeneration = Number.isSafeInteger(generation) && Number(generation) >= 0;
  return typeof format === 'string' && Number.isSafeInteger(core) && isVersion && isGeneration;
}

function unsealed(line: Buffer, place: Required<FilePosition>, source: FileSource): object {
  const expected = `${place.line === 1 ? 'the header' : `entry ${place.line - 1}`} with a matching checksum`;
  const end = Math.max(0, line.length - SEAL_BYTES);
  const written = SEAL.exec(line.toString('latin1', end))?.[1];
  if (written === undefined)
    throw createDamagedError(source, place, expected, 'a line without one at its end');
  const crc = crcText(line.subarray(0, end));
  if (crc !== written) {
    throw createDamagedError(source, place, expected, `a line with the checksum ${crc} that says ${written}`);
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

/** A new file under another name, on the disk and open. */
interface FileDraft {
  readonly file: FileHandle;
  /** Puts it in the place of an existing file in a single step; it is on the disk when this resolves. */
  readonly publish: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** Recognizes files left behind by an interrupted write. */
export function isDraft(name: string): boolean {
  return name.endsWith('.draft');
}

/** Writes a draft for the file at `path` that only its user may read; nothing remains of it if that fails. */
export async function writeDraft(path: string, text: string): Promise<FileDraft> {
  // A unique name: a suspended and overtaken owner only touches its own drafts.
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

/** Replaces a file in a single step, right after `confirm`. */
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
 * Flushes the names in a folder to the disk. Windows cannot open folders; its file systems keep names
 * consistent themselves.
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

/** Waits for a cleanup and ignores its failure, so that the first error is reported. */
export async function ignoreFailure(work: Promise<unknown> | undefined): Promise<void> {
  await work?.catch(() => undefined);
}

export function formatErrorText(error: unknown): string {
  return toError(error).message;
}

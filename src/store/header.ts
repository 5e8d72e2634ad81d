import { damaged } from './source.js';
import type { Place, Source } from './source.js';
import { StoreError } from './store-error.js';
import type { Writer } from './types.js';

export const JOURNAL_FORMAT = 'pix-sandbox-journal';
export const SNAPSHOT_FORMAT = 'pix-sandbox-snapshot';

/** The first line of a file: its format and the versions that can read it. */
export interface Header {
  readonly format: string;
  readonly core: number;
  readonly version: string;
  /** A journal continues from the snapshot of its own generation. */
  readonly generation: number;
}

/** A header as JSON, without its seal. */
export function headerText(format: string, writer: Writer, generation: number): string {
  return JSON.stringify({
    format,
    core: writer.coreVersion,
    version: writer.packageVersion,
    generation,
    notice: 'Holds tokens and secrets.',
  });
}

/** Reads a header; refuses anything else, another format and another version of the core. */
export function readHeader(json: unknown, format: string, coreVersion: number, source: Source): Header {
  const place: Place = { line: 1, byte: 0 };
  if (!isHeader(json)) throw damaged(source, place, `the header of a ${format}`, 'something else');
  if (json.format !== format) throw damaged(source, place, `a ${format}`, `a ${JSON.stringify(json.format)}`);
  if (json.core === coreVersion) return json;
  throw new StoreError(
    'other-version',
    source.path,
    `: Expected what version ${coreVersion} of the core wrote, got version ${json.core}, by pix-sandbox ${json.version}. Nothing was changed. ${source.ifOtherVersion(json.version)}`,
  );
}

function isHeader(json: unknown): json is Header {
  if (typeof json !== 'object' || json === null) return false;
  if (!('format' in json && 'core' in json && 'version' in json && 'generation' in json)) return false;
  const { format, core, version, generation } = json;
  return (
    typeof format === 'string' &&
    Number.isSafeInteger(core) &&
    // It becomes part of a command that users paste into a shell.
    typeof version === 'string' &&
    /^\d[\w.+-]*$/.test(version) &&
    typeof generation === 'number' &&
    Number.isSafeInteger(generation) &&
    generation >= 0
  );
}

import { crc32 } from 'node:zlib';

/** `,"crc":"01234567"}` at the end of a line. */
const SEAL = /^,"crc":"([0-9a-f]{8})"\}$/;
const SEAL_BYTES = 18;

/** A CRC-32 as written in the files: eight hex digits. */
export function crcText(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** A JSON object as a line whose last field is the checksum of the text before it; checking it needs no parsing. */
export function sealedLine(json: string): string {
  const body = json.slice(0, -1);
  return `${body},"crc":"${crcText(crc32(body))}"}\n`;
}

/** What is wrong with the seal of a line (without its newline), in words; null when it matches. */
export function sealProblem(line: Buffer): string | null {
  const end = line.length - SEAL_BYTES;
  const written = end < 0 ? null : SEAL.exec(line.toString('latin1', end));
  if (written === null) return 'a line without one at its end';
  const crc = crcText(crc32(line.subarray(0, end)));
  return crc === written[1] ? null : `a line with the checksum ${crc} that says ${written[1]}`;
}

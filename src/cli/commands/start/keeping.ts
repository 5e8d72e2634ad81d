import { resolve } from 'node:path';
import type { ServerOptions } from '../../../http/server/start.js';
import { isoTime } from '../../../contract/time.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { CliError, EXIT } from '../../program/errors.js';
import type { Io, Options } from '../../program/io.js';

/** Where a sandbox is to be kept, from the options `--data` and `--record`. */
export function keepingOptions(options: Options, io: Io): Partial<ServerOptions> {
  const [data, record] = [options.text('data'), options.text('record')];
  return {
    dataDirectory: data === undefined ? undefined : resolve(io.cwd, data),
    recordFile: record === undefined ? undefined : resolve(io.cwd, record),
    onWarning: (message) => io.note(`${io.colour.yellow('warning')} ${message}`),
  };
}

/** Why a data directory or a record cannot be had, as an expected error; undefined for any other error. */
export function keepingError(error: unknown): CliError | undefined {
  if (!(error instanceof Error) || error.name !== 'StoreError') return undefined;
  return new CliError(EXIT.usage, 'DATA_NOT_USABLE', error.message);
}

/** Choices that a world keeps from its beginning on, as the options and as people write them. */
const LASTING: Readonly<Record<string, string>> = {
  seed: '--seed',
  assume: '--assume',
  autoSettle: '--auto-settle',
  kyc: '--kyc',
  kycAuto: '--kyc-auto',
  origin: '--origin',
};

/** One line on what becomes of everything when the sandbox stops, and what it goes on with. */
export function keepingNote(options: Options, { world, clock }: Sandbox): string {
  const directory = options.text('data');
  if (directory === undefined) return 'Everything is in memory; Ctrl-C stops it.';
  const counts = `charges: ${world.charges.rows.length}, deliveries: ${world.deliveries.rows.length}`;
  const frozen = clock.rate === 0 ? `, time stands still at ${isoTime(clock.now())}` : '';
  return `Everything is kept in ${directory} (${counts}${frozen}); Ctrl-C stops it.`;
}

/** Says which options a world does not heed that is gone on with, because it has its own from when it began. */
export function noteUnheeded(options: Options, io: Io): void {
  const given = Object.keys(LASTING).filter(
    (name) => options.text(name) !== undefined || options.list(name).length > 0,
  );
  if (given.length === 0) return;
  const flags = given.map((name) => LASTING[name]).join(', ');
  io.note(
    `${io.colour.yellow('warning')} The sandbox goes on as it began; ${flags} will count after \`npx pix-sandbox reset\`.`,
  );
}

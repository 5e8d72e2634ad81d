import { resolve } from 'node:path';
import type { ServerOptions } from '../../../http/server/start.js';
import { isoTime } from '../../../contract/time.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { asCalled } from '../../../text/program-name.js';
import { CliError, EXIT } from '../../program/errors.js';
import type { InvocationOf } from '../../program/declaration.js';
import { flagsGiven } from '../../program/declaration.js';
import type { Io } from '../../program/io.js';
import type { start } from './command.js';

type Options = InvocationOf<typeof start>['options'];

export function keepingOptions({ data, record }: Options, io: Io): Partial<ServerOptions> {
  return {
    dataDirectory: data === undefined ? undefined : resolve(io.cwd, data),
    recordFile: record === undefined ? undefined : resolve(io.cwd, record),
    onWarning: (message) => io.note(`${io.colour.yellow('warning')} ${asCalled(message, io.program)}`),
  };
}

/** Why a data directory or a recording cannot be used, as an expected error; undefined for any other error. */
export function keepingError(error: unknown, { program }: Pick<Io, 'program'>): CliError | undefined {
  if (!(error instanceof Error) || error.name !== 'StoreError') return undefined;
  return new CliError(EXIT.usage, 'DATA_NOT_USABLE', asCalled(error.message, program));
}

export function notSaved({ data = '' }: Options): CliError {
  return new CliError(EXIT.no, 'DATA_NOT_SAVED', `Changes of this sandbox are not saved in ${data}.`, {
    hint:
      'The warnings before say why. While a sandbox that cannot save still runs, `npx sandbox ' +
      'state export > state.json` saves it.',
  });
}

const LASTING = ['seed', 'assume', 'autoSettle', 'kyc', 'kycAuto', 'origin', 'keepDeliveries'] as const;

/** One line that says whether the data survives a stop, and what was restored. */
export function keepingNote({ data: directory }: Options, { world, clock }: Sandbox): string {
  if (directory === undefined) return 'Everything is in memory; Ctrl-C stops it.';
  const counts = `charges: ${world.charges.rows.length}, deliveries: ${world.deliveries.rows.length}`;
  const frozen = clock.rate === 0 ? `, clock frozen at ${isoTime(clock.now())}` : '';
  return `Everything is kept in ${directory} (${counts}${frozen}); Ctrl-C stops it.`;
}

/** Warns about options that a restored world ignores, because it keeps its original ones. */
export function noteUnheeded(options: Options, io: Io): void {
  const flags = flagsGiven(options, LASTING);
  if (flags.length === 0) return;
  io.note(
    `${io.colour.yellow('warning')} The sandbox keeps its original settings; ` +
      `${flags.join(', ')} will apply after \`${io.program} reset\`.`,
  );
}

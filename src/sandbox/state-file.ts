import { CORE_VERSION, describeOtherCore } from '../contract/core-version.js';
import { LIMITS } from '../contract/limits.js';
import { Refusal } from '../contract/refusals.js';
import { isObject, object } from '../schema/object.js';
import { anyValue, number, text } from '../schema/values.js';
import type { WorldExport } from '../core/state/export.js';
import { exportWorld } from '../core/state/export.js';
import { importWorld, readAtPath } from '../core/state/import.js';
import type { RestoredState } from './options.js';

const FORMAT = 'pix-sandbox-state';

/** A sandbox exported to a file: the world and its clock rate. */
export interface StateFile {
  readonly format: string;
  readonly core: number;
  /** Version of the package that wrote the file. */
  readonly version: string;
  readonly notice: string;
  readonly rate: number;
  readonly world: WorldExport;
}

export function createStateFile({ world, rate }: RestoredState): StateFile {
  return {
    format: FORMAT,
    core: CORE_VERSION,
    version: __VERSION__,
    notice: 'This file contains tokens and secrets of a sandbox.',
    rate,
    world: exportWorld(world),
  };
}

const FILE = object('an object', {
  format: text(),
  core: number('a number'),
  version: text(),
  notice: text(),
  rate: number(`a number from 0 to ${LIMITS.clockRate}`, { min: 0, max: LIMITS.clockRate }),
  world: anyValue,
});

/**
 * Parses the output of `createStateFile`. Rejects anything else, including files from another core version
 * (INVALID_REQUEST).
 */
export function readStateFile(json: unknown): RestoredState {
  if (!isObject(json) || json['format'] !== FORMAT) {
    throw new Refusal('INVALID_REQUEST', 'This file is not a sandbox state file.', {
      hint: 'Use a file written by `npx sandbox state export`.',
    });
  }
  const { core, version, rate, world } = readAtPath(FILE, json, 'state');
  if (core !== CORE_VERSION) {
    const { message, hint } = describeOtherCore(core, version);
    throw new Refusal('INVALID_REQUEST', message, { hint });
  }
  const restored = { rate, world: importWorld(world) };
  if (restored.world.apps.rows.length === 0)
    throw new Refusal('INVALID_REQUEST', 'apps: expected at least one application.');
  return restored;
}

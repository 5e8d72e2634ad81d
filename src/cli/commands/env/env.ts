import type { BodyOf } from '../../program/declaration.js';
import { present } from '../../sandbox/present.js';
import type { env } from './command.js';
import { formatEnv } from './formats.js';

export const printEnv: BodyOf<typeof env> = present(
  (client) => client.get('env'),
  (_, block, { options }) => formatEnv(block, options.format),
);

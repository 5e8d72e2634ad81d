import type { OptionSpec } from '../program/command-spec.js';
import { settingOptions } from '../program/sandbox-options.js';

const COMMON: readonly OptionSpec[] = [
  ...settingOptions('tunnelHost', 'tunnelSubdomain'),
  { flags: '--tunnel-in-ci', description: 'with --tunnel: open it although CI is set' },
];

/** The options of `start` that are about a public URL for the service. */
export const START_TUNNEL_OPTIONS: readonly OptionSpec[] = [
  { flags: '--tunnel', description: 'show the service, without its control API, at a public URL' },
  ...COMMON,
  ...settingOptions('tunnelFor'),
];

/** The options of `listen` that are about a public URL for deliveries. */
export const LISTEN_TUNNEL_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--tunnel',
    description: 'receive at a public URL, also from the real TEST environment; needs no sandbox',
  },
  {
    flags: '--secret <secret>',
    description: 'with --tunnel: verify with it (better: SANDBOX_WEBHOOK_SECRET)',
    list: true,
  },
  { flags: '--secret-file <file>', description: 'with --tunnel: the same, one secret on each line' },
  ...COMMON,
];

import { files } from '../../completion/sources.js';
import { flag, texts } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';

/** What shapes a sandbox, be it one that stays (`start`) or one around a command (`exec`). */
export const SANDBOX = settings(
  'seed',
  'freeze',
  'assume',
  'route',
  'allowLocalEndpoints',
  'autoSettle',
  'kyc',
  'kycAuto',
  'kycDelay',
  'kycRateLimit',
  'origin',
  'strict',
);

export const SCENARIO = { scenario: texts('file', 'run this file, or a built-in one, first', files) };

/** What `start` and `listen` take beside `--tunnel`. */
export const TUNNEL = {
  ...settings('tunnelHost', 'tunnelSubdomain'),
  tunnelInCi: flag('with --tunnel: open it although CI is set'),
};

import { files } from '../../completion/sources.js';
import { flag, texts } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';

/** The options of a sandbox, both for `start` and for `exec`. */
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

/** The options of `start` and `listen` that go with `--tunnel`. */
export const TUNNEL = {
  ...settings('tunnelHost', 'tunnelSubdomain'),
  tunnelInCi: flag('with --tunnel: open it although CI is set'),
};

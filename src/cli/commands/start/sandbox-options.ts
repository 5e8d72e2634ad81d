import { files } from '../../completion/sources.js';
import { flag, text, texts } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';

export const RESTART = {
  restart: text('command', 'a command that restarts your application, for the fault restart'),
};

export const FAULTS = {
  faults: text('path', 'a file of faults, or a directory of results of `explore`', files),
  ...RESTART,
};

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

export const TUNNEL = {
  ...settings('tunnelHost', 'tunnelSubdomain'),
  tunnelInCi: flag('with --tunnel: open it although CI is set'),
};

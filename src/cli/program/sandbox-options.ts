import type { Setting, SettingKey } from '../../config/settings.js';
import { flagsOf, isRepeatable, SETTINGS } from '../../config/settings.js';
import type { OptionSpec } from './command-spec.js';

/** The option of a setting, as its command and `config` take it. */
export function optionOf(setting: Setting): OptionSpec {
  const { kind, description, fallback } = setting;
  // That a switch is off without its option goes without saying.
  const otherwise = fallback === undefined || kind === 'switch' ? '' : ` (default: ${fallback})`;
  return { flags: flagsOf(setting), description: description + otherwise, list: isRepeatable(setting) };
}

/** The options of some settings, in the order of `sandbox config`. */
export function settingOptions(...keys: readonly SettingKey[]): OptionSpec[] {
  return SETTINGS.filter(({ key }) => keys.includes(key)).map(optionOf);
}

/** What shapes a sandbox, be it one that stays (`start`) or one around a command (`exec`). */
export const SANDBOX_OPTIONS: readonly OptionSpec[] = settingOptions(
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

export const SCENARIO: OptionSpec = {
  flags: '--scenario <file>',
  description: 'run this file, or a built-in one, first',
  list: true,
};

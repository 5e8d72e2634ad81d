import type { OptionSpec, OptionSpecs } from '../../program/declaration.js';
import { duration, flag, text } from '../../program/options.js';
import { settings } from '../../program/setting-options.js';
import { APP, simulate } from '../../program/shared-options.js';

const { forwardTo, ...tuning } = settings('forwardTo', 'events', 'retries', 'header', 'concurrency');

const HOW = {
  ...tuning,
  name: text('name', 'name of the listener (default: derived from its target)'),
  timeout: duration('duration', 'time limit of an attempt (default: 10s)'),
  simulate: simulate(
    'what attempts 1, 2, … hit instead of your application: 500,timeout,reset,slow:3s,lost,ok',
  ),
  duplicate: text('probability', 'send some twice'),
  shuffle: text('probability', 'deliver some out of order'),
  delay: text('duration', 'send later, such as 2s, or some, such as 0.5:2s'),
  fresh: flag('fail what was held while it was away, instead of delivering it'),
  skipVerify: flag('forward without verifying the signature first'),
  ...APP,
};

const TARGETS = "3000, /hook, host:port/path, a URL, or for some events 'pix.*=3000/pix'";

/** Where and how `listen` forwards deliveries. */
export const FORWARDING = {
  forwardTo: { ...forwardTo, description: `where to: ${TARGETS} (default: nowhere)` },
  ...HOW,
};

/** The same options of `start`, which forwards only with `--forward-to`. */
export const FORWARDING_OF_START = {
  forwardTo: { ...forwardTo, description: `forward deliveries, as \`listen\` does: ${TARGETS}` },
  ...withPrefix(HOW, '--forward-to: '),
};

/** The names of the options that go with `--forward-to`. */
export const FORWARDING_NAMES = Object.keys(HOW) as (keyof typeof HOW)[];

function withPrefix<Specs extends OptionSpecs>(specs: Specs, prefix: string): Specs {
  const prefixed = Object.entries(specs).map(([name, spec]: [string, OptionSpec<unknown>]) => [
    name,
    { ...spec, description: prefix + spec.description },
  ]);
  return Object.fromEntries(prefixed) as Specs;
}

import { isoTime } from '../../../contract/time.js';
import { shellQuoted } from '../../../text/shell/words.js';
import type { InvocationOf } from '../../program/declaration.js';
import { commandText } from '../../prompts/command-text.js';
import type { Failure } from '../../../explore/explore.js';
import type { explore } from './command.js';

type Options = InvocationOf<typeof explore>['options'];

/**
 * The command that repeats what a file says, quoted for a POSIX shell, without the program. `exec` runs the command once, in which its
 * own tests fail; what an invariant found shows only beside runs without faults.
 */
export function repeatOf(
  file: string,
  { category }: Failure,
  words: readonly string[],
  options: Options,
): string {
  const { forwardTo, events, restart, scenario, freeze, autoSettle, kyc, kycAuto, kycDelay, ...others } =
    options;
  const { assume, route, allowLocalEndpoints, kycRateLimit, origin, probe } = others;
  const isTest = category === 'test';
  const given = {
    ...(isTest ? { faults: file } : { only: file, probe }),
    restart,
    forwardTo,
    events,
    scenario,
    freeze: freeze === undefined ? undefined : isoTime(freeze),
    assume,
    route,
    allowLocalEndpoints: allowLocalEndpoints || undefined,
    autoSettle: autoSettle?.text,
    kyc,
    kycAuto,
    kycDelay: kycDelay?.text,
    kycRateLimit,
    origin,
  };
  return `${commandText(isTest ? 'exec' : 'explore', [], given)} -- ${words.map(shellQuoted).join(' ')}`;
}

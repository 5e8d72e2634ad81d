import { parseDuration } from '../../../contract/time.js';
import { SESSION_DECISIONS } from '../../../contract/transitions.js';
import type { ServerOptions } from '../../../http/server/start.js';
import { durationOrUsage } from '../../program/arguments.js';
import { oneOfOrUsage } from '../../program/closest.js';
import { usageError } from '../../program/errors.js';
import type { Options } from '../../program/io.js';

type KycOptions = Pick<ServerOptions, 'kycEnabled' | 'kycAuto' | 'kycRateLimit' | 'origins'>;

/** What `start` is told about identity verification. */
export function kycOptions(options: Options): KycOptions {
  return {
    kycEnabled: oneOfOrUsage('setting of --kyc', options.text('kyc') ?? 'on', ['on', 'off']) === 'on',
    kycAuto: parseAuto(options.text('kycAuto'), options.text('kycDelay')),
    kycRateLimit: parseRateLimit(options.text('kycRateLimit')),
    origins: options.list('origin'),
  };
}

function parseAuto(status: string | undefined, delay: string | undefined): KycOptions['kycAuto'] {
  if (status === undefined) {
    if (delay === undefined) return undefined;
    throw usageError(
      '--kyc-delay goes with --kyc-auto.',
      `For example: --kyc-auto approved --kyc-delay ${delay}`,
    );
  }
  const delayMs = delay === undefined ? 0 : parseDuration(durationOrUsage('--kyc-delay', delay));
  return { status: oneOfOrUsage('decision', status, SESSION_DECISIONS), delayMs: delayMs ?? 0 };
}

function parseRateLimit(text: string | undefined): KycOptions['kycRateLimit'] {
  if (text === undefined) return undefined;
  const [, count, time = ''] = /^([1-9]\d{0,8})\/(.+)$/.exec(text) ?? [];
  const perMs = parseDuration(time) ?? 0;
  if (count !== undefined && perMs > 0) return { calls: Number(count), perMs };
  throw usageError(`--kyc-rate-limit takes calls and a time, such as 60/1m; got ${text}.`);
}

import { allowedIds, chosen } from '../../../check/catalogue.js';
import type { CheckOptions } from '../../../check/check.js';
import { messageOf } from '../../../text/errors.js';
import { refersTo } from '../../../text/shell/placeholders.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import { usageError } from '../../program/errors.js';
import type { InvocationOf } from '../../program/declaration.js';
import { isLoopback } from '../../sandbox/loopback.js';
import { parseForwardTarget, planHeaders } from '../listen/plan.js';
import type { check } from './command.js';
import { checkPlaceholders } from './placeholders.js';

/** Milliseconds for an application that is still starting. */
const DEFAULT_WAIT_MS = 10_000;

type Options = InvocationOf<typeof check>['options'];

type Planned = Omit<CheckOptions, 'to' | 'secret'> & { readonly to: URL };

/** Reads the options. Throws a usage error. */
export function planned(options: Options): Planned {
  const { forwardTo, only, skip } = options;
  if (forwardTo === undefined) {
    throw usageError('check needs a receiver.', 'For example: npx sandbox check --forward-to 3000/webhooks');
  }
  const to = parseForwardTarget(forwardTo);
  if (!isLoopback(to) && !options.yesRemote) {
    throw usageError(
      `${withoutUrlSecrets(to.href)} is not on this machine, and a check changes data of the application.`,
      'If it is a test environment of yours, add --yes-remote.',
    );
  }
  checkPlaceholders('--probe', options.probe, ['{code}', '{id}']);
  checkPlaceholders('--order', options.order, ['{code}']);
  if (options.order === undefined) refuseWithoutOrder(options);
  const named = { only: namesIn(only), skip: namesIn(skip), without: options.without };
  const allowUnobserved = namesIn(options.allowUnobserved);
  try {
    chosen(named);
    allowedIds(allowUnobserved ?? []);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageError(messageOf(error), 'npx sandbox check --list');
  }
  return {
    to,
    ...named,
    allowUnobserved,
    headers: planHeaders(options.header),
    strict: options.strict,
    requireEffects: options.require === 'effects',
    takesAmount: options.order !== undefined && refersTo(options.order, ['{amount}']),
    budgetMs: options.budget?.ms,
    waitMs: options.wait?.ms ?? DEFAULT_WAIT_MS,
    effectTimeoutMs: options.effectTimeout?.ms,
    probeIgnore: options.probeIgnore,
  };
}

function refuseWithoutOrder({ port, useRunning }: Options): void {
  const flag = useRunning ? '--use-running' : port === undefined ? undefined : '--port';
  if (flag !== undefined) throw usageError(`${flag} goes with --order: without it no sandbox is used.`);
}

function namesIn(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((name) => name.trim());
}

import type { CheckResult, CheckScope, CheckSettings, CheckVerdict } from '../check/public.js';
import type { ControlClient } from '../client/control.js';
import type { EnvironmentBlock } from '../public-types.js';
import type { ForwardTarget } from './forward.js';
import { parseTargetUrl } from './forward.js';
import { boolean, enumOf } from '../schema/values.js';
import type { OptionSchemas } from './options.js';
import {
  checkOptions,
  FUNCTION_OR_COMMAND,
  defineList,
  TEXT_OPTION,
  TEXTS_OPTION,
  TIMEOUT_OPTION,
  predicate,
} from './options.js';

export type { CheckLevel, CheckPart, CheckResult, CheckScope, CheckVerdict } from '../check/public.js';

/**
 * Options for a check. A string for `probe`, `order` or `restart` is a shell command that receives the
 * sandbox's environment variables. Literal values replace `{code}` and `{id}` in a probe, and `{code}` and
 * `{amount}` in an order. The values are also available as SANDBOX_CODE, SANDBOX_ID and SANDBOX_AMOUNT.
 */
export interface CheckFields extends CheckSettings {
  /** The receiver: a URL, a `--forward-to` value, or an object with `fetch`. */
  readonly to: ForwardTarget;
  /** Returns the application's data about an order and its effects, as text or a JSON value. */
  readonly probe?: string | ((order: { readonly code: string; readonly id: string }) => unknown) | undefined;
  /** Makes the application create an order with this code and a charge. A URL receives a POST request. */
  readonly order?:
    | string
    | ((order: { readonly code: string; readonly amount: string }) => unknown)
    | undefined;
  readonly restart?: string | (() => unknown) | undefined;
  /** The receiver's secret. Defaults to the sandbox's SANDBOX_WEBHOOK_SECRET. */
  readonly secret?: string | undefined;
  /** Real-time limit for all checks, in milliseconds. Defaults to two minutes. */
  readonly timeoutMs?: number | undefined;
}

export interface CheckedReceiver {
  /** Set if every applicable *must* check was observed and passed. */
  readonly ok: boolean;
  /** One-line result. */
  readonly headline: string;
  readonly scope: CheckScope;
  readonly checks: readonly CheckResult[];
  /** Applicable checks without a verdict, including checks skipped because another check failed. */
  readonly not_observed: readonly Pick<CheckResult, 'id' | 'level' | 'reason'>[];
  /** Number of applicable checks by verdict. */
  readonly summary: Readonly<Record<CheckVerdict, number>>;
  readonly notes: readonly string[];
}

/** Checks a webhook receiver. Rejects with TypeError for unknown options and ids. */
export type CheckVerb = (fields: CheckFields) => Promise<CheckedReceiver>;

const CHECK_KINDS: OptionSchemas<CheckFields> = {
  to: predicate('a URL, or an object with fetch', (value) => value !== undefined),
  path: TEXT_OPTION,
  probe: FUNCTION_OR_COMMAND,
  order: FUNCTION_OR_COMMAND,
  takesAmount: boolean,
  restart: FUNCTION_OR_COMMAND,
  without: defineList(enumOf(['withdrawals'])),
  requireEffects: boolean,
  allowUnobserved: defineList(TEXT_OPTION),
  probeIgnore: defineList(TEXT_OPTION),
  effectTimeoutMs: TIMEOUT_OPTION,
  waitMs: TIMEOUT_OPTION,
  only: defineList(TEXT_OPTION),
  skip: defineList(TEXT_OPTION),
  strict: boolean,
  headers: TEXTS_OPTION,
  secret: TEXT_OPTION,
  timeoutMs: TIMEOUT_OPTION,
};

/** @internal */
export function checkVerb(control: ControlClient, env: EnvironmentBlock): CheckVerb {
  return async (fields) => {
    const { to, probe, order, restart, secret, timeoutMs, takesAmount, ...rest } = checkOptions(
      'check',
      fields,
      CHECK_KINDS,
    );
    const isFetch = typeof to === 'object' && 'fetch' in to && typeof to.fetch === 'function';
    const target = isFetch ? to : parseTargetUrl('check', to);
    const [
      { runChecks },
      { storeReport, toReportJson },
      hooks,
      { containsPlaceholder: refersTo },
      { runRestart },
    ] = await Promise.all([
      import('../check/engine.js'),
      import('../check/report.js'),
      import('../check/hooks.js'),
      import('../text/shell/placeholders.js'),
      import('../child.js'),
    ]);
    const where = { cwd: process.cwd(), env: { ...process.env, ...env } };
    const found = await runChecks({
      ...rest,
      to: target,
      secret: secret ?? env.SANDBOX_WEBHOOK_SECRET,
      sandbox: { control, settles: true },
      budgetMs: timeoutMs,
      takesAmount: takesAmount ?? (typeof order === 'string' && refersTo(order, ['{amount}'])),
      probe: hook(
        probe,
        (held) => async (subject) => formatCaptured(await held(subject)),
        (text) => hooks.createProbeHook(text, where),
      ),
      order: hook(
        order,
        (make) => async (asked) => void (await make(asked)),
        (text) => hooks.createOrderHook(text, where),
      ),
      restart: hook(
        restart,
        (again) => async () => void (await again()),
        (text) => () => runRestart(text, where),
      ),
    });
    const report = toReportJson(found, { known: new Set(), stale: [] });
    await storeReport(control, { ...report, again: null });
    const { ok, headline, scope, checks, not_observed, summary, notes } = report;
    return { ok, headline, scope, checks, not_observed, summary, notes };
  };
}

function hook<Given, Wanted>(
  given: Given | string | undefined,
  wrap: (given: Given) => Wanted,
  command: (text: string) => Wanted,
): Wanted | undefined {
  if (given === undefined) return undefined;
  return typeof given === 'string' ? command(given) : wrap(given);
}

/** Formats an application's data as text. @internal */
export function formatCaptured(held: unknown): string {
  return typeof held === 'string' ? held : (JSON.stringify(held) ?? '');
}

import { type JunitCase, createJunitXml } from '../text/junit.js';
import { toStepFailure, ApiClients, StepFailure, type Target } from './api-clients.js';
import { ScenarioHistory, LIST_NAMES, type StepContext } from './expectations.js';
import type { ForwardHandler } from './receiver.js';
import { resolveReferences, UnknownReferenceError } from './references.js';
import {
  performStep,
  receiveDelivery,
  removeScenarioFaults,
  type Scenario,
  type Step,
  getVerb,
} from './steps.js';

export interface ScenarioRunOptions {
  readonly target: Target;
  readonly name?: string | undefined;
  /** A fresh sandbox has no history, so generated codes are the same in every run. */
  readonly isFresh: boolean;
  readonly forward?: ForwardHandler | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A step's result. Steps after a failed step are skipped. */
export interface StepOutcome {
  readonly number: number;
  readonly title: string;
  readonly note: string | undefined;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly reasons: readonly string[];
}

export interface ScenarioOutcome {
  readonly passed: boolean;
  readonly steps: readonly StepOutcome[];
  /** Notes about ignored settings in the file. */
  readonly notes: readonly string[];
  readonly durationMs: number;
}

/** Runs a scenario up to the first failing step, then cleans up. Rejects only when the signal aborts. */
export async function runScenario(scenario: Scenario, options: ScenarioRunOptions): Promise<ScenarioOutcome> {
  const { target, isFresh, forward, signal, name } = options;
  const startedAtMs = performance.now();
  const run = isFresh ? '1' : crypto.randomUUID().slice(0, 8);
  const clients = new ApiClients(target, signal, name);
  const context: StepContext = {
    clients,
    history: new ScenarioHistory(clients),
    forward,
    run,
    names: new Map<string, unknown>(Object.entries({ env: target.env, run })),
    receiver: undefined,
    faults: new Set(),
    endpoints: new Set(),
    drafted: 0,
    during: '',
  };
  const steps: StepOutcome[] = [];
  const hasFailed = () => steps.some(({ status }) => status === 'failed');
  try {
    const reasons = await reasonsOf(begin(context, scenario, isFresh), signal);
    if (reasons.length > 0)
      steps.push({ number: 0, title: 'begin', note: undefined, status: 'failed', reasons });
    for (const [index, step] of scenario.steps.entries()) {
      signal?.throwIfAborted();
      const own = hasFailed() ? undefined : await reasonsOf(runStep(context, step, index), signal);
      const status = own === undefined ? 'skipped' : own.length === 0 ? 'passed' : 'failed';
      steps.push({ number: index + 1, title: titleOf(step), note: step.note, status, reasons: own ?? [] });
    }
  } finally {
    await removeScenarioFaults(context);
    await context.receiver?.leave();
  }
  return {
    passed: !hasFailed(),
    steps,
    notes: isFresh ? [] : listIgnoredSettings(scenario),
    durationMs: Math.round(performance.now() - startedAtMs),
  };
}

async function begin(context: StepContext, { steps, receiver }: Scenario, isFresh: boolean): Promise<void> {
  const lists = LIST_NAMES.filter((list) => steps.some(({ expect }) => expect?.[list] !== undefined));
  await context.history.begin(lists, isFresh);
  const spec = receiver ?? (context.forward === undefined ? undefined : {});
  if (spec !== undefined) await receiveDelivery(context, spec);
}

function listIgnoredSettings({ sandbox = {} }: Scenario): string[] {
  const names = Object.keys(sandbox).map((name) => `sandbox.${name}`);
  return names.length === 0
    ? []
    : [`The running sandbox does not apply these settings: ${names.join(', ')}. Apply them with --fresh.`];
}

function titleOf(step: Step): string {
  const verb = getVerb(step);
  const value: unknown = step[verb];
  if (typeof value === 'string') return `${verb} ${value}`;
  if (typeof value !== 'object' || value === null) return verb;
  const { type, action, method, path } = value as Readonly<Record<string, string | undefined>>;
  const call = method === undefined ? undefined : `${method} ${path}`;
  return `${verb} ${call ?? type ?? action ?? Object.keys(value).join(', ')}`.trimEnd();
}

/** Resolves a step's references, performs the step, and stores the result under the step's name. */
async function runStep(context: StepContext, step: Step, index: number): Promise<void> {
  context.during = step.as ?? String(index + 1);
  context.names.set('receiver', context.receiver?.facts ?? {});
  const verb = getVerb(step);
  const result = await performStep(context, verb, resolveReferences(step[verb], context.names));
  if (verb !== 'expect') context.history.touch(result);
  if (step.as !== undefined) context.names.set(step.as, result);
}

/** Returns the reasons for a step failure, or an empty list on success. */
async function reasonsOf(work: Promise<unknown>, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    await work;
    return [];
  } catch (thrown) {
    if (!(thrown instanceof StepFailure)) signal?.throwIfAborted();
    const error = toStepFailure(thrown);
    if (error instanceof StepFailure) return error.reasons;
    if (error instanceof UnknownReferenceError) return [error.message];
    throw error;
  }
}

export interface RunScenario extends ScenarioOutcome {
  readonly name: string;
  readonly file: string;
}

export function toScenariosJunit(results: readonly RunScenario[]): string {
  const cases = results.map(({ name, file, steps, durationMs }): JunitCase => {
    const own = { name, classname: file, durationMs };
    const failed = steps.find(({ status }) => status === 'failed');
    if (failed === undefined) return own;
    const message = `step ${failed.number}, ${failed.title}: ${failed.reasons[0] ?? ''}`;
    return { ...own, failure: { message, text: steps.flatMap(stepLines).join('\n') } };
  });
  const totalMs = results.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return createJunitXml('pix-sandbox scenarios', cases, totalMs);
}

function stepLines({ number, title, status, reasons }: StepOutcome): string[] {
  return [`${number} ${status} ${title}`, ...reasons.map((reason) => `    ${reason}`)];
}

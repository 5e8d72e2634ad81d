import { perform, receive, removeFaults, type Scenario, type Step, verbOf } from './steps.js';
import { asFailure, Doors, StepFailure, type Target } from './doors.js';
import { LIST_NAMES } from './expectations.js';
import { History } from './history.js';
import type { Forward, ScenarioReceiver } from './receiver.js';
import { UnknownReference, resolved } from './references.js';
import { attributes, escaped, seconds } from '../text/junit.js';

export interface RunOptions {
  readonly target: Target;
  /** How the timeline names it. */
  readonly name?: string | undefined;
  /** Whether the sandbox has no history: then generated codes are the same in every run. */
  readonly isFresh: boolean;
  /** Where deliveries go that the receiver accepts. */
  readonly forward?: Forward | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of a step. Steps after a failed one are skipped. */
export interface StepOutcome {
  /** From 1. */
  readonly number: number;
  readonly title: string;
  readonly note: string | undefined;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly reasons: readonly string[];
}

export interface ScenarioOutcome {
  readonly passed: boolean;
  readonly steps: readonly StepOutcome[];
  /** Settings of the file that had no effect. */
  readonly notes: readonly string[];
  /** Real time. */
  readonly durationMs: number;
}

/**
 * Runs a scenario through the doors of a sandbox, up to the first failing step, and then removes its own receiver and
 * faults. Rejects only when the signal aborts.
 */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioOutcome> {
  const startedAtMs = performance.now();
  const steps: StepOutcome[] = [];
  const outcome = () => ({
    passed: steps.every(({ status }) => status === 'passed'),
    steps,
    notes: options.isFresh ? [] : notApplied(scenario),
    durationMs: Math.round(performance.now() - startedAtMs),
  });
  const { value: stage, reasons } = await settled(begin(scenario, options), options.signal);
  if (stage === undefined) {
    steps.push({ number: 0, title: 'begin', note: undefined, status: 'failed', reasons });
    steps.push(...scenario.steps.map(skipped));
    return outcome();
  }
  try {
    for (const [index, step] of scenario.steps.entries()) {
      options.signal?.throwIfAborted();
      steps.push(
        steps.some(({ status }) => status === 'failed')
          ? skipped(step, index)
          : await take(stage, step, index, options.signal),
      );
    }
  } finally {
    await removeFaults(stage);
    await stage.receiver?.leave();
  }
  return outcome();
}

async function begin(scenario: Scenario, options: RunOptions): Promise<Stage> {
  const { target, isFresh, forward, signal, name } = options;
  const doors = new Doors(target, signal, name);
  const lists = LIST_NAMES.filter((name) =>
    scenario.steps.some(({ expect }) => expect?.[name] !== undefined),
  );
  const run = isFresh ? '1' : crypto.randomUUID().slice(0, 8);
  const stage: Stage = {
    doors,
    history: await History.begin(doors, lists, isFresh),
    forward,
    run,
    names: new Map<string, unknown>(Object.entries({ env: target.env, run })),
    receiver: undefined,
    faults: new Set(),
    endpoints: new Set(),
    drafted: 0,
    during: '',
  };
  const spec = scenario.receiver ?? (forward === undefined ? undefined : {});
  if (spec !== undefined) await receive(stage, spec);
  return stage;
}

function notApplied({ sandbox = {} }: Scenario): string[] {
  const names = Object.keys(sandbox).map((name) => `sandbox.${name}`);
  return names.length === 0
    ? []
    : [`The sandbox runs already, so this was not applied: ${names.join(', ')}.`];
}

function skipped(step: Step, index: number): StepOutcome {
  return { number: index + 1, title: stepTitle(step), note: step.note, status: 'skipped', reasons: [] };
}

/** A step in a few words, as results name it. */
function stepTitle(step: Step): string {
  const verb = verbOf(step);
  return `${verb} ${about(verb, step)}`.trimEnd();
}

function about(verb: string, step: Step): string {
  const { call, trigger, fault, advance } = step;
  if (call !== undefined) return `${call.method} ${call.path}`;
  if (trigger !== undefined) return typeof trigger === 'string' ? trigger : trigger.type;
  if (fault !== undefined) return typeof fault === 'string' ? fault : fault.action;
  if (advance !== undefined) return advance;
  const taken: unknown = step[verb as keyof Step];
  return typeof taken === 'object' && taken !== null ? Object.keys(taken).join(', ') : '';
}

async function take(
  stage: Stage,
  step: Step,
  index: number,
  signal: AbortSignal | undefined,
): Promise<StepOutcome> {
  stage.during = step.as ?? String(index + 1);
  stage.names.set('receiver', stage.receiver?.facts ?? {});
  const { value, reasons } = await settled(act(stage, step), signal);
  if (reasons.length === 0 && step.as !== undefined) stage.names.set(step.as, value);
  return { ...skipped(step, index), status: reasons.length === 0 ? 'passed' : 'failed', reasons };
}

/** Replaces the references of a step and performs it. */
async function act(stage: Stage, step: Step): Promise<unknown> {
  const verb = verbOf(step);
  const result = await perform(stage, verb, resolved(step[verb], stage.names));
  if (verb !== 'expect') stage.history.touch(result);
  return result;
}

interface Settled<Value> {
  readonly value?: Value;
  readonly reasons: readonly string[];
}

/** The result of the work, or the reasons of an expected failure. */
async function settled<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Settled<Value>> {
  try {
    return { value: await work, reasons: [] };
  } catch (thrown) {
    if (!(thrown instanceof StepFailure)) signal?.throwIfAborted();
    const error = asFailure(thrown);
    if (error instanceof StepFailure) return { reasons: error.reasons };
    if (error instanceof UnknownReference) return { reasons: [error.message] };
    throw error;
  }
}

/** The state that the steps of one run share. */
export interface Stage {
  readonly doors: Doors;
  readonly history: History;
  readonly forward: Forward | undefined;
  /** A text that differs in every run against a sandbox with a history. */
  readonly run: string;
  /** What references begin with: the results of earlier steps, and what every scenario has. */
  readonly names: Map<string, unknown>;
  receiver: ScenarioReceiver | undefined;
  /** Faults that the scenario added; removed at its end. */
  readonly faults: Set<string>;
  readonly endpoints: Set<string>;
  /** How many codes and keys were generated. */
  drafted: number;
  /** The current step: its name, or its number. */
  during: string;
}

export interface RunScenario extends ScenarioOutcome {
  readonly name: string;
  readonly file: string;
}

/** The results as JUnit XML, as `junit-10.xsd` of Jenkins' xunit-plugin has it: one test case for each scenario. */
export function junitXml(results: readonly RunScenario[]): string {
  const totals = attributes({
    name: 'pix-sandbox scenarios',
    tests: results.length,
    failures: results.filter(({ passed }) => !passed).length,
    errors: 0,
    time: seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites>`,
    `  <testsuite${totals}>`,
    ...results.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ name, file, steps, durationMs }: RunScenario): string[] {
  const head = attributes({ name, classname: file, time: seconds(durationMs) });
  const failed = steps.find(({ status }) => status === 'failed');
  if (failed === undefined) return [`    <testcase${head}/>`];
  const message = `step ${failed.number}, ${failed.title}: ${failed.reasons[0] ?? ''}`;
  return [
    `    <testcase${head}>`,
    `      <failure${attributes({ message })}>${escaped(steps.flatMap(stepLines).join('\n'))}</failure>`,
    '    </testcase>',
  ];
}

function stepLines({ number, title, status, reasons }: StepOutcome): string[] {
  return [`${number} ${status} ${title}`, ...reasons.map((reason) => `    ${reason}`)];
}

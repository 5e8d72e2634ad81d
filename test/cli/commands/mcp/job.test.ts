import { describe, expect, test, vi } from 'vitest';
import { AgentJob } from '../../../../src/cli/commands/mcp/job.js';
import type { CommandResult } from '../../../../src/cli/commands/mcp/run-tool.js';
import { fakeTimers } from '../../../helpers/fake-timers.js';

const RESULT: CommandResult = { text: 'done', json: [], exitCode: 0 };

/** A run that ends when the test resolves it, or when it is stopped. */
function controlledRun() {
  let resolve: (result: CommandResult) => void = () => undefined;
  const promise = new Promise<CommandResult>((end) => {
    resolve = end;
  });
  let report: (text: string) => void = () => undefined;
  const run = vi.fn<Parameters<AgentJob['start']>[0]>((signal, onProgress) => {
    report = onProgress;
    signal.addEventListener('abort', () => resolve({ ...RESULT, text: 'stopped' }));
    return promise;
  });
  return { run, end: () => resolve(RESULT), report: (text: string) => report(text) };
}

describe('AgentJob', () => {
  test('has neither a run nor a result at first', async () => {
    const job = new AgentJob();
    await job.stop();
    expect([job.isRunning, job.progress, job.result]).toEqual([false, '', undefined]);
  });

  test('runs once at a time', async () => {
    const job = new AgentJob();
    const [first, second] = [controlledRun(), controlledRun()];
    expect([job.start(first.run), job.start(second.run)]).toEqual([true, false]);
    expect(second.run).not.toHaveBeenCalled();
    first.end();
    await job.wait(1_000);
    expect([job.isRunning, job.result]).toEqual([false, RESULT]);
    expect(job.start(second.run)).toBe(true);
    expect([job.isRunning, job.result]).toEqual([true, undefined]);
    await job.stop();
  });

  test('reports the latest progress of the current run', async () => {
    const job = new AgentJob();
    const [first, second] = [controlledRun(), controlledRun()];
    job.start(first.run);
    for (const text of ['1 of 9', '2 of 9', '']) first.report(text);
    expect(job.progress).toBe('2 of 9');
    first.end();
    await job.wait(1_000);
    job.start(second.run);
    expect(job.progress).toBe('');
    await job.stop();
  });

  test('waits for the end of the run, but not longer than requested', async () => {
    fakeTimers();
    const job = new AgentJob();
    const { run, end } = controlledRun();
    job.start(run);
    const waited = job.wait(20_000);
    await vi.advanceTimersByTimeAsync(20_000);
    await waited;
    expect(job.isRunning).toBe(true);
    const again = job.wait(20_000);
    end();
    await again;
    expect([job.isRunning, job.result]).toEqual([false, RESULT]);
  });

  test('gives a result that was not awaited to one reader', async () => {
    const job = new AgentJob();
    const { run, end } = controlledRun();
    job.start(run);
    expect(job.takeResult()).toBeUndefined();
    end();
    await job.wait(1_000);
    expect([job.takeResult(), job.takeResult()]).toEqual([RESULT, undefined]);
  });

  test('stops the run, and returns its last result', async () => {
    const job = new AgentJob();
    job.start(controlledRun().run);
    await job.stop();
    expect([job.isRunning, job.result?.text]).toEqual([false, 'stopped']);
    await job.stop();
    expect(job.result?.text).toBe('stopped');
  });
});

import { describe, expect, test } from 'vitest';
import { Project } from '../helpers/e2e/e2e.js';
import { BUILT_INS } from '../helpers/scenario/scenarios.js';

const ALL = [...BUILT_INS.keys()];

interface Report {
  readonly passed: boolean;
  readonly sandbox: { readonly kind: string; readonly url?: string };
  readonly scenarios: readonly { readonly name: string; readonly passed: boolean }[];
}

describe('sandbox run', () => {
  test('passes every built-in scenario without a running sandbox', async () => {
    using project = new Project();
    const report = await project.json<Report>(['run', ...ALL]);
    expect(report.scenarios.filter(({ passed }) => !passed)).toEqual([]);
    expect(report).toMatchObject({ passed: true, sandbox: { kind: 'fresh' } });
  });

  test('passes them repeatedly against the project’s sandbox with a running clock', async () => {
    using project = new Project();
    await using sandbox = await project.start();
    await project.json(['trigger', 'pix.settled']);
    for (let time = 0; time < 2; time += 1) {
      const ran = await project.run(['run', ...ALL]);
      expect(ran).toMatchObject({ exitCode: 0, stderr: `Running against the sandbox at ${sandbox.url}.` });
      expect(ran.stdout).toContain(`${ALL.length} passed.`);
    }
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { App } from '../helpers/e2e/e2e-app.js';
import { Project } from '../helpers/e2e/e2e.js';
import { BUILT_INS } from '../helpers/scenario/scenarios.js';

const ALL = [...BUILT_INS.keys()];

interface Report {
  readonly passed: boolean;
  readonly sandbox: { readonly kind: string; readonly url?: string };
  readonly scenarios: readonly { readonly name: string; readonly passed: boolean }[];
}

describe('sandbox run', () => {
  test('passes every built-in scenario, with no sandbox running', async () => {
    using project = new Project();
    const report = await project.json<Report>(['run', ...ALL]);
    expect(report.scenarios.filter(({ passed }) => !passed)).toEqual([]);
    expect(report).toMatchObject({ passed: true, sandbox: { kind: 'fresh' } });
  });

  test('passes them against the project’s sandbox, whose clock runs, and again', async () => {
    using project = new Project();
    await using sandbox = await project.start();
    await project.json(['trigger', 'pix.settled']);
    for (let time = 0; time < 2; time += 1) {
      const ran = await project.run(['run', ...ALL]);
      expect(ran).toMatchObject({ exitCode: 0, stderr: `Against the sandbox at ${sandbox.url}.` });
      expect(ran.stdout).toContain(`${ALL.length} passed.`);
    }
  });

  test('leaves with 1 for an expectation that is not met and with 2 for a file that is wrong', async () => {
    using project = new Project();
    project.write('no.json', '{ "steps": [ { "expect": { "events": { "count": 1 } } } ] }');
    project.write('wrong.json', '{\n  "steps": [ { "expect": { "event": [] } } ]\n}');
    const no = await project.run(['run', 'no.json', '--junit', 'report.xml']);
    expect(no).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('events: expected 1; got 0.') });
    expect(readFileSync(join(project.folder, 'report.xml'), 'utf8')).toContain('failures="1"');
    const wrong = await project.run(['run', 'no.json', 'wrong.json']);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/wrong\.json:2:28 steps\[0\]\.expect\.event: .* Did you mean events\?/);
    expect(await project.run(['run'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('paid-late'),
    });
  });

  test('lets an application take the deliveries of a fresh sandbox', async () => {
    using project = new Project();
    await using sandbox = await project.start();
    await using app = await App.start(sandbox.env('SANDBOX_WEBHOOK_SECRET'));
    const ran = await project.run([
      'run',
      'retries-to-dead-letter-and-recovery',
      '--fresh',
      '--forward-to',
      app.url,
    ]);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect({ types: app.hooks.map(({ type }) => type), refusals: app.refusals }).toEqual({
      types: ['pix.settled'],
      refusals: [],
    });
  });

  test('records what happened, and that holds in a fresh sandbox', async () => {
    using project = new Project();
    {
      await using _sandbox = await project.start();
      await project.ask(['charges', 'create', '--amount', '10.00', '--code', 'order-1']);
      await project.ask(['charges', 'settle', 'order-1']);
      await project.ask(['clock', 'advance', '2h']);
      await project.ask(['withdrawals', 'create', '--amount', '5.00']);
      await project.json(['run', '--record', 'made.json']);
    }
    expect(await project.run(['run', 'made.json'])).toMatchObject({ exitCode: 0 });
    const made = JSON.parse(readFileSync(join(project.folder, 'made.json'), 'utf8')) as { steps: object[] };
    expect(made.steps).toMatchObject(expect.arrayContaining([{ settle: { charge: '${charge_1.id}' } }]));
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { served } from '../helpers/check/serve-receiver.js';
import { smallShop } from '../helpers/check/small-shop.js';
import { Agent, callOf, converse, HELLO, isRunning, SUITE } from '../helpers/e2e/agent.js';
import { Project } from '../helpers/e2e/e2e.js';

const RESULT_MAX = 8_000;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const EVIDENCE = ['cause', 'fix', 'sent', 'received', 'expected'];

describe.concurrent('check_handler and explore_suite', () => {
  test('shows cause, fix and evidence of every failed check, and the next step', async () => {
    using project = new Project();
    await using receiver = await served(smallShop(SECRET, { verifies: false }).fetch);
    const env = { SANDBOX_WEBHOOK_SECRET: SECRET };
    await using agent = await Agent.connect(project, ['--forward-to', `${receiver.port}/webhooks`], { env });
    const { json, text: shown, size } = await agent.call('check_handler');
    const failures = json['failures'] as readonly Record<string, string>[];
    expect(failures.map(({ id }) => id)).toContain('refuse.unsigned');
    const incomplete = failures.filter((failure) => EVIDENCE.some((name) => !failure[name]));
    expect(incomplete).toEqual([]);
    expect(json['ok']).toBe(false);
    expect(shown).toContain('cause: the signature is verified only if present');
    expect(shown).toMatch(/Next: Fix refuse\.unsigned: .* Then run check_handler again\.$/);
    expect(size).toBeLessThanOrEqual(RESULT_MAX);
    const one = await agent.call('check_handler', { only: 'refuse.unsigned' });
    expect(one.json).toMatchObject({ summary: { fail: 1, pass: 0 } });
  });

  test('refuse a receiver on another machine, from an option and from the settings', async () => {
    using project = new Project();
    const remote = 'https://example.com/webhooks';
    const refusal = { isError: true, json: { error: 'The configured receiver is not on this machine.' } };
    project.write('suite.cjs', SUITE);
    {
      await using agent = await Agent.connect(project, [
        '--forward-to',
        remote,
        '--command',
        'node suite.cjs',
      ]);
      expect(await agent.call('check_handler')).toMatchObject(refusal);
      expect(await agent.call('explore_suite', { action: 'start' })).toMatchObject(refusal);
    }
    project.write(
      'sandbox.config.json',
      JSON.stringify({ forwardTo: [remote], 'explore.command': 'node suite.cjs' }),
    );
    await using agent = await Agent.connect(project);
    expect(await agent.call('check_handler')).toMatchObject(refusal);
    expect(await agent.call('explore_suite', { action: 'start' })).toMatchObject(refusal);
    expect(await agent.call('explore_suite', { action: 'status' })).toMatchObject({ isError: true });
  });

  test('name the setting that is missing', async () => {
    using project = new Project();
    await using agent = await Agent.connect(project);
    const check = await agent.call('check_handler');
    expect([check.isError, check.text]).toEqual([
      true,
      expect.stringContaining('forwardTo in sandbox.config.json'),
    ]);
    const explore = await agent.call('explore_suite', { action: 'start' });
    expect([explore.isError, explore.text]).toEqual([
      true,
      expect.stringContaining('explore.command in sandbox.config.json'),
    ]);
  });

  test('run the configured suite as a job that is polled, and find its bug', async () => {
    using project = new Project();
    project.write('suite.cjs', SUITE);
    project.write('sandbox.config.json', JSON.stringify({ 'explore.command': 'node suite.cjs' }));
    await using agent = await Agent.connect(project, ['--forward-to', '{port}/webhooks']);
    expect((await agent.call('explore_suite', { action: 'start', budget: '1m' })).json).toMatchObject({
      running: true,
    });
    expect((await agent.call('explore_suite', { action: 'start' })).text).toContain('A run is in progress.');
    let polled = await agent.call('explore_suite', { action: 'status' });
    while (polled.json['running'] === true) polled = await agent.call('explore_suite', { action: 'status' });
    expect(polled.isError).toBe(false);
    expect(polled.text).toContain('duplicate');
    expect(polled.text).toMatch(/Next: Fix the first finding/);
    expect(polled.size).toBeLessThanOrEqual(RESULT_MAX);
  });

  test('stop a running suite, and its processes when stdin ends', async () => {
    using project = new Project();
    project.write(
      'suite.cjs',
      `require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => 0, 1_000);`,
    );
    const args = ['--command', 'exec node suite.cjs'];
    const explore = (id: number, action: string) => callOf(id, 'explore_suite', { action });
    const calls = [explore(2, 'start'), explore(3, 'stop'), explore(4, 'start'), explore(5, 'status')];
    const { stdout, exitCode } = await converse(project, [...HELLO, ...calls], args);
    const results = stdout.trimEnd().split('\n').slice(1);
    const running = results.map((line) => line.includes('"running":true'));
    expect([running, exitCode]).toEqual([[true, false, true, true], 0]);
    expect(isRunning(Number(readFileSync(join(project.folder, 'pid'), 'utf8')))).toBe(false);
  });
});

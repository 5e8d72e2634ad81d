import { describe, expect, test } from 'vitest';
import { runFilesOf } from '../../src/client/run-file.js';
import { Agent, agentEnv, callOf, converse, ERAS, HELLO, isRunning, SUITE } from '../helpers/e2e/agent.js';
import { Project } from '../helpers/e2e/e2e.js';

const LIST_MAX = 10_000;
const RESULT_MAX = 8_000;
const TOOLS = [
  'sandbox_status',
  'pay',
  'trigger_event',
  'what_happened',
  'show',
  'verify_signature',
  'check_handler',
  'explore_suite',
  'clock',
  'world',
  'guide',
];
const READING = ['sandbox_status', 'what_happened', 'show', 'verify_signature', 'guide'];

interface Difference {
  readonly count: number;
}

interface Status {
  readonly url: string;
  readonly pid: number;
}

describe.concurrent('mcp', () => {
  test.each(Object.keys(ERAS) as (keyof typeof ERAS)[])(
    'lists and calls tools in the %s era',
    async (era) => {
      using project = new Project();
      await using agent = await Agent.connect(project, [], { era, env: { FORCE_COLOR: '1' } });
      expect(agent.client.getProtocolEra()).toBe(era);
      const { tools } = await agent.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS);
      expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(LIST_MAX);
      const annotated = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
      expect(annotated.map(({ name }) => name)).toEqual(READING);
      const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint !== false);
      expect(destructive.map(({ name }) => name)).toEqual(['world']);
      const triggered = await agent.call('trigger_event', {
        event: 'pix.settled',
        code: 'order-1',
        amount: 5,
      });
      expect([triggered.isError, triggered.json['reached']]).toEqual([false, true]);
      const traced = await agent.call('what_happened', { action: 'trace', id: 'order-1' });
      expect(traced.text).toContain('pix.settled of order-1');
      expect(traced.json).toHaveProperty('root.children');
      const webhook = { body: '{}', id: 'msg_1', timestamp: 1, signature: 'v1,AAAA' };
      const verified = await agent.call('verify_signature', { action: 'webhook', ...webhook });
      expect(verified.text).toContain('<data>\n✗ The webhook is invalid: timestamp_too_old\n');
    },
  );

  test('omits tools that change something under --read-only', async () => {
    using project = new Project();
    await using agent = await Agent.connect(project, ['--read-only']);
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(READING);
    await expect(agent.call('world', { action: 'reset' })).rejects.toThrow('world');
  });

  test('writes only the protocol to stdout, and ends with its sandbox when stdin ends', async () => {
    using project = new Project();
    const calls = [
      { id: 2, method: 'tools/list' },
      callOf(3, 'sandbox_status'),
      callOf(4, 'trigger_event', { event: 'pix.settled' }),
      callOf(5, 'show', { action: 'charge', id: 'nowhere' }),
      callOf(6, 'show', { action: 'nowhere' }),
      callOf(7, 'nowhere'),
      callOf(8, 'explore_suite', { action: 'start', budget: '1m' }),
      callOf(9, 'explore_suite', { action: 'status' }),
    ];
    project.write('suite.cjs', SUITE);
    const args = ['--command', 'node suite.cjs', '--forward-to', '{port}/webhooks'];
    const { stdout, exitCode, pid } = await converse(project, [...HELLO, ...calls], args);
    const lines = stdout.trimEnd().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { jsonrpc: '2.0'; id?: number }).id);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(exitCode).toBe(0);
    expect(isRunning(pid)).toBe(false);
    expect(runFilesOf(project.folder, agentEnv(project))).toEqual([]);
  });

  test('ends when stdin ends before its first call', async () => {
    using project = new Project();
    const { stdout, stderr, exitCode } = await converse(project, []);
    const served = 'Serving 11 tools to an MCP client on stdin and stdout.\n';
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: '', stderr: served, exitCode: 0 });
  });

  test('finds the project’s running sandbox and its token, and leaves it running', async () => {
    using project = new Project();
    const control = { env: { SANDBOX_CONTROL_TOKEN: 'a-token-of-32-characters-or-more' } };
    await using sandbox = await project.start(['--host', '0.0.0.0'], control);
    {
      await using agent = await Agent.connect(project);
      const { json } = await agent.call('sandbox_status');
      expect(json).toMatchObject({ url: sandbox.url, pid: sandbox.pid } satisfies Status);
    }
    expect(await project.ask<Status>(['status'])).toMatchObject({ pid: sandbox.pid });
  });

  test('starts a sandbox when the one that it found has ended', async () => {
    using project = new Project();
    const sandbox = await project.start();
    await using agent = await Agent.connect(project);
    await agent.call('sandbox_status');
    await sandbox.leave();
    const { json, isError } = await agent.call('sandbox_status');
    expect([isError, json['pid']]).toEqual([false, agent.pid]);
  });

  test('starts one sandbox for concurrent calls', async () => {
    using project = new Project();
    await using agent = await Agent.connect(project);
    const all = await Promise.all(Array.from({ length: 5 }, () => agent.call('sandbox_status')));
    expect(new Set(all.map(({ json }) => json['instance_id']))).toHaveLength(1);
    expect(runFilesOf(project.folder, agentEnv(project))).toHaveLength(1);
  });

  test('reports a sandbox that is not running at --url', async () => {
    using project = new Project();
    await using agent = await Agent.connect(project, ['--url', 'http://127.0.0.1:9']);
    const { isError, json, text: shown } = await agent.call('sandbox_status');
    expect([isError, json['code']]).toEqual([true, 'NOT_RUNNING']);
    expect(shown).toMatch(/<data>\nNo sandbox responds at http:\/\/127\.0\.0\.1:9\.\n<\/data>\nNext: ./);
  });

  test('reports why its sandbox did not start', async () => {
    using project = new Project();
    await using agent = await Agent.connect(project);
    project.write('sandbox.config.json', JSON.stringify({ host: 'nowhere.invalid' }));
    const { isError, json } = await agent.call('sandbox_status');
    expect([isError, json['error']]).toEqual([true, expect.stringContaining('nowhere.invalid')]);
    project.write('sandbox.config.json', '{}');
    expect((await agent.call('sandbox_status')).isError).toBe(false);
  });

  test('leaves the world unchanged after every reading tool', async () => {
    using project = new Project();
    await using _ = await project.start(['--forward-to', '9/webhooks']);
    await project.ask(['clock', 'freeze']);
    await using agent = await Agent.connect(project, ['--read-only']);
    for (const event of ['pix.settled', 'pix.expired', 'withdrawal.failed'])
      await project.ask(['trigger', event]);
    await project.ask(['faults', 'add', 'duplicate']);
    await project.ask(['state', 'save', 'before']);
    const { tools } = await agent.client.listTools();
    for (const { name, inputSchema } of tools) {
      for (const input of inputsOf(inputSchema)) {
        const { size } = await agent.call(name, input).catch(() => ({ size: 0 }));
        expect({ name, input, isShort: size <= RESULT_MAX }).toEqual({ name, input, isShort: true });
      }
    }
    expect((await project.ask<Difference>(['state', 'compare', 'before'])).count).toBe(0);
  });
});

/** Returns inputs for every action: valid, missing and invalid. */
function inputsOf(schema: object): readonly Record<string, unknown>[] {
  const { properties } = schema as { properties: Record<string, { type?: unknown; enum?: string[] }> };
  const actions = properties['action']?.enum ?? [undefined];
  const names = Object.keys(properties).filter((name) => name !== 'action');
  const values = ['charge-1', 'withdrawal-1', 'pix.settled', '1', '../../reset', '', 'x'.repeat(2_000)];
  const pairs = names.flatMap((name) => {
    const isList = properties[name]?.type === 'array';
    return [true, ...values].map((value) => [name, isList ? [value] : value] as const);
  });
  return actions.flatMap((action) =>
    [['action', action] as const, ...pairs].map(([name, value]) => ({ action, [name]: value })),
  );
}

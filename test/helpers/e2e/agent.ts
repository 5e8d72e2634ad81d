import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BIN, CACHE_HOME, type Project } from './e2e.js';

/** Protocol eras: `initialize` of 2025, and `server/discover` of 2026. */
export const ERAS = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;

export interface AgentOptions {
  readonly era?: keyof typeof ERAS;
  readonly env?: Readonly<Record<string, string>>;
}

/** Result of a tool. */
export interface Called {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  /** Characters of JSON. */
  readonly size: number;
}

/** The environment of a project’s `sandbox mcp`. */
export function agentEnv(project: Project): Readonly<Record<string, string>> {
  const { stateHome } = project;
  const home = dirname(stateHome);
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_STATE_HOME: stateHome,
    XDG_CACHE_HOME: CACHE_HOME,
  };
}

/** The official client, connected to the built `sandbox mcp`. */
export class Agent implements AsyncDisposable {
  readonly client: Client;
  readonly #transport: StdioClientTransport;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.client = client;
    this.#transport = transport;
  }

  static async connect(
    project: Project,
    args: readonly string[] = [],
    { era = 'modern', env = {} }: AgentOptions = {},
  ): Promise<Agent> {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: ERAS[era] } },
    );
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', ...args],
      cwd: project.folder,
      env: { ...agentEnv(project), ...env },
      stderr: 'pipe',
    });
    await client.connect(transport);
    return new Agent(client, transport);
  }

  get pid(): number {
    return this.#transport.pid ?? 0;
  }

  async call(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<Called> {
    const result = await this.client.callTool({ name, arguments: { ...input } });
    const { content, structuredContent: json = {}, isError = false } = result;
    const text = content.map((part) => ('text' in part ? part.text : '')).join('');
    const size = JSON.stringify({ content, structuredContent: json, isError }).length;
    return { text, json: json as Called['json'], isError, size };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

/** A suite with its application, which credits an order twice if the webhook is repeated. */
export const SUITE = `
  const { createServer } = require('node:http');
  const { PORT, SANDBOX_URL } = process.env;
  let credits = 0;
  const application = createServer(async (request, response) => {
    for await (const chunk of request);
    credits += 1;
    response.end();
  });
  const post = (path, body) =>
    fetch(SANDBOX_URL + '/_sandbox/' + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  application.listen(PORT, '127.0.0.1', async () => {
    await post('charges', { code: 'order-1', amount: '10.00' });
    await post('charges/order-1/settle', {});
    await fetch(SANDBOX_URL + '/_sandbox/idle?timeout=10s');
    console.log('stdout of the suite');
    process.exit(credits === 1 ? 0 : 3);
  });`;

/** Tests whether a process exists. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Sends lines to `sandbox mcp`, waits for each response, and then ends its stdin. */
export async function converse(project: Project, messages: readonly object[], args: readonly string[] = []) {
  const child = spawn(process.execPath, [BIN, 'mcp', ...args], {
    cwd: project.folder,
    env: agentEnv(project),
  });
  const stderr = text(child.stderr);
  const ended = once(child, 'exit');
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  for (const message of messages) {
    const before = stdout.length;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    if (!('id' in message)) continue;
    while (!stdout.slice(before).includes('\n')) await once(child.stdout, 'data');
  }
  child.stdin.end();
  const [exitCode] = (await ended) as [number];
  return { stdout, stderr: await stderr, exitCode, pid: child.pid ?? 0 };
}

/** Messages that begin a conversation. */
export const HELLO = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { method: 'notifications/initialized' },
];

export function callOf(id: number, name: string, input: object = {}) {
  return { id, method: 'tools/call', params: { name, arguments: input } };
}

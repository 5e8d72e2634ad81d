import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { once } from 'node:events';
import type { ConfiguredCommand } from '../../../config/settings.js';
import { isLoopback } from '../../../delivery/addresses.js';
import { isObject } from '../../../schema/object.js';
import { readForwardTarget } from '../../../text/forward-target.js';
import type { mcpDeclaration } from '../../declarations/mcp.js';
import { resolveConfiguredOptions } from '../../program/configured-options.js';
import type { BodyOf, CommandDeclaration, InvocationOf, RawOptions } from '../../program/declaration.js';
import { createNotRunningError, EXIT_CODES, wrapRemoteError } from '../../program/errors.js';
import { withRunningSandbox } from '../../sandbox/find-sandbox.js';
import { loadCommands } from '../table.js';
import { readGuide } from './guide.js';
import { AgentJob } from './job.js';
import { formatToolResult, type ToolResult } from './result.js';
import {
  type CommandError,
  type CommandInput,
  type CommandResult,
  runForTool,
  toCommandError,
} from './run-tool.js';
import { AGENT_TOOLS, type AgentTool, createToolSchema } from './tools.js';

type Invocation = InvocationOf<typeof mcpDeclaration>;
type ToolInput = Readonly<Record<string, unknown>>;

/** Longest wait for a running job per call. */
const POLL_MS = 20_000;
/** Longest wait for a check; clients usually wait a minute. */
const CHECK_MS = 45_000;

/** Serves the tools until stdin ends. */
export const serveAgent: BodyOf<typeof mcpDeclaration> = async (invocation) => {
  const { io, options } = invocation;
  const agent = new AgentTools(invocation, (await loadCommands()).commands);
  const tools = AGENT_TOOLS.filter(({ isReadOnly }) => isReadOnly || !options.readOnly);
  const server = serveStdio(() => {
    const mcp = new McpServer({ name: 'pix-sandbox', version: __VERSION__ }, { capabilities: { tools: {} } });
    for (const tool of tools) {
      const { name, description, isReadOnly, isDestructive = false } = tool;
      const inputSchema = fromJsonSchema<ToolInput>(agent.schemaOf(tool));
      const annotations = { readOnlyHint: isReadOnly, destructiveHint: isDestructive, openWorldHint: false };
      mcp.registerTool(name, { description, inputSchema, annotations }, async (input, { mcpReq }) =>
        formatToolResult(await agent.call(tool, input, mcpReq.signal)),
      );
    }
    return mcp;
  });
  io.note(`Serving ${tools.length} tools to an MCP client on stdin and stdout.`);
  const ended = once(process.stdin, 'end').catch(() => undefined);
  const stopped = io.stopping.aborted ? undefined : once(io.stopping, 'abort');
  await Promise.race([ended, stopped ?? Promise.resolve()]);
  await server.close();
  await agent.close();
};

/** Runs tools against the project’s sandbox, which is started on first use if none is running. */
class AgentTools {
  readonly #invocation: Invocation;
  readonly #commands: ReadonlyMap<string, CommandDeclaration>;
  readonly #stopping = new AbortController();
  readonly #job = new AgentJob();
  readonly #checks = new AgentJob();
  #started: Promise<string> | undefined;
  #own: Promise<CommandResult> | undefined;

  constructor(invocation: Invocation, commands: readonly CommandDeclaration[]) {
    this.#invocation = invocation;
    this.#commands = new Map(commands.map((command) => [command.name, command]));
  }

  schemaOf(tool: AgentTool) {
    return createToolSchema(tool, (name) => this.#commandOf(name));
  }

  async call(tool: AgentTool, input: ToolInput, signal: AbortSignal): Promise<ToolResult> {
    try {
      if (tool.name === 'guide') return readGuide(input as Readonly<Record<string, string | undefined>>);
      if (tool.name === 'explore_suite') return await this.#explore(input);
      return await this.#callCommand(tool, input, signal);
    } catch (error) {
      return toFailure(toCommandError(error, this.#invocation.io));
    }
  }

  async #callCommand(tool: AgentTool, input: ToolInput, signal: AbortSignal): Promise<ToolResult> {
    const [only = ''] = Object.keys(tool.actions);
    const action = typeof input['action'] === 'string' ? input['action'] : only;
    const use = tool.actions[action];
    if (use === undefined)
      return fail(`Unknown action ${action}.`, `Use one of: ${Object.keys(tool.actions).join(', ')}.`);
    const { command, args = [], options = [], stdin } = use;
    const specs = Object.values(this.#commandOf(command).args);
    const needed = args.filter((_, index) => specs[index]?.form === 'required');
    const missing = [...needed, ...(stdin === undefined ? [] : [stdin])].filter(
      (name) => !isPresent(input[name]),
    );
    if (missing.length > 0)
      return fail(`${action} needs ${missing.join(' and ')}.`, `Pass ${missing.join(' and ')}.`);
    const words = args.flatMap((name) => (isPresent(input[name]) ? [String(input[name])] : []));
    const given = Object.fromEntries(options.map((name) => [name, toOption(input[name])]));
    if (tool.name === 'check_handler') return this.#check(given);
    const all = { ...given, ...use.fixed, url: await this.#findSandbox() };
    const result = await this.#run(command, {
      args: stdin === undefined ? words : ['-'],
      options: all,
      signal,
      stdin: stdin === undefined ? undefined : String(input[stdin]),
    });
    if (result.error !== undefined) return toFailure(result.error);
    return toToolResult(tool.name, action, result);
  }

  async close(): Promise<void> {
    await Promise.all([this.#job.stop(), this.#checks.stop()]);
    this.#stopping.abort();
    await this.#own;
  }

  #commandOf(name: string): CommandDeclaration {
    const command = this.#commands.get(name);
    if (command === undefined) throw new Error(`Expected a command ${name}.`);
    return command;
  }

  async #run(command: string, input: CommandInput): Promise<CommandResult> {
    return runForTool(this.#commandOf(command), input, this.#invocation.io);
  }

  /**
   * Returns the URL of the sandbox that was started, or `--url`: commands find a running sandbox and its token
   * themselves. Starts a sandbox if none is running.
   */
  async #findSandbox(): Promise<string | undefined> {
    if (this.#started === undefined && (await this.#isSandboxRunning())) return this.#invocation.options.url;
    this.#started ??= this.#startSandbox();
    try {
      return await this.#started;
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
  }

  async #isSandboxRunning(): Promise<boolean> {
    const status = await withRunningSandbox(this.#invocation, (client) => client.get('status'));
    return status !== undefined;
  }

  async #startSandbox(): Promise<string> {
    for (const port of [undefined, '0']) {
      const url = await new Promise<string | undefined>((resolve) => {
        const { signal } = this.#stopping;
        const onJson = (value: object) => {
          if ('type' in value && value.type === 'ready' && 'url' in value) resolve(String(value.url));
        };
        const forwardTo = this.#listTargets('start').filter((target) => !target.includes('{port}'));
        const options = { quiet: true, forwardTo, ...(port && { port }) };
        this.#own = this.#run('start', { args: [], options, signal, onJson });
        void this.#own.then(() => {
          this.#started = undefined;
          resolve(undefined);
        });
      });
      if (url !== undefined) return url;
      const { error } = (await this.#own) ?? {};
      if (error === undefined) break;
      const { code, message, hint, details } = error;
      if (code !== 'PORT_TAKEN' || port !== undefined)
        throw wrapRemoteError(EXIT_CODES.notRunning, { code, message, details, hint: hint ?? undefined });
    }
    throw createNotRunningError('The sandbox did not start.');
  }

  /**
   * Runs `check` in the background, because a slow receiver takes longer than clients wait for a result. The next
   * call then returns the result of that run.
   */
  async #check(given: RawOptions): Promise<ToolResult> {
    const { options, problem } = this.#findReceiver();
    if (problem !== undefined) return problem;
    const all = { ...given, ...options, url: await this.#findSandbox() };
    if (this.#checks.result === undefined)
      this.#checks.start((signal, onNote) => this.#run('check', { args: [], options: all, signal, onNote }));
    await this.#checks.wait(CHECK_MS);
    const { progress } = this.#checks;
    const result = this.#checks.takeResult();
    if (result === undefined)
      return {
        text: progress,
        json: { running: true, progress },
        next: 'Call check_handler again for the result.',
      };
    return result.error === undefined
      ? toToolResult('check_handler', 'check', result)
      : toFailure(result.error);
  }

  /** Returns the options of `check`, or the reason why there is no receiver to check. */
  #findReceiver(): { readonly options?: RawOptions; readonly problem?: ToolResult } {
    const { probe, order, restart } = this.#invocation.options;
    // A target with {port} is the application of a run of `explore`.
    const target = this.#listTargets('check').find((one) => !one.includes('{port}'));
    if (target === undefined) return { problem: NO_RECEIVER };
    if (!isLocal(target)) return { problem: REMOTE_RECEIVER };
    // The application uses the same sandbox as the tools.
    return { options: { forwardTo: target, probe, order, restart, useRunning: order !== undefined } };
  }

  /** Returns the configured receivers of a command. */
  #listTargets(command: ConfiguredCommand): readonly string[] {
    const { io, options } = this.#invocation;
    if (options.forwardTo !== undefined) return [options.forwardTo];
    const { forwardTo } = resolveConfiguredOptions(command, {}, io).options;
    return Array.isArray(forwardTo) ? forwardTo.map(String) : [];
  }

  async #explore(input: ToolInput): Promise<ToolResult> {
    const { command, restart } = this.#invocation.options;
    const action = input['action'];
    if (action === 'start') {
      if (this.#job.isRunning) return fail('A run is in progress.', 'Poll it with action status.');
      if (command === undefined) {
        return fail(
          'No test command is configured.',
          'Ask the user to set explore.command in sandbox.config.json.',
        );
      }
      const forwardTo = this.#listTargets('explore');
      if (!forwardTo.every(isLocal)) return REMOTE_RECEIVER;
      const options = {
        budget: toOption(input['budget']),
        seed: toOption(input['seed']),
        faults: input['faults'],
        restart,
        command,
        ...(forwardTo.length > 0 && { forwardTo }),
      };
      this.#job.start((signal, onNote) => this.#run('explore', { args: [], options, signal, onNote }));
      return {
        text: 'Started.',
        json: { running: true },
        next: 'Poll with action status, which waits for up to 20 s.',
      };
    }
    if (action === 'stop') await this.#job.stop();
    else if (this.#job.isRunning) await this.#job.wait(POLL_MS);
    const { isRunning, progress, result } = this.#job;
    if (isRunning)
      return { text: progress, json: { running: true, progress }, next: 'Poll again with action status.' };
    if (result === undefined) return fail('No run was started.', 'Start one with action start.');
    if (result.error !== undefined) return toFailure(result.error);
    return toToolResult('explore_suite', 'status', result);
  }
}

function fail(text: string, next: string, more: Readonly<Record<string, unknown>> = {}): ToolResult {
  return { text, json: { error: text, ...more }, next, isError: true };
}

const NO_RECEIVER = fail(
  'No receiver is configured.',
  'Ask the user to set forwardTo in sandbox.config.json, or start `sandbox mcp --forward-to 3000/webhooks`.',
);

const REMOTE_RECEIVER = fail(
  'The configured receiver is not on this machine.',
  'Ask the user to set forwardTo to a port of this machine, e.g. 3000/webhooks.',
);

/** Tests whether a target is on this machine; {port} is a port of a run of `explore`. */
function isLocal(target: string): boolean {
  const read = readForwardTarget(target.replaceAll('{port}', '3000'));
  return read !== undefined && 'url' in read && isLoopback(read.url);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function toFailure({ code, message, hint, details }: CommandError): ToolResult {
  return fail(message, hint ?? 'Correct the arguments.', { code, details });
}

/** Converts an argument to commander’s form. */
function toOption(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function toToolResult(tool: string, action: string, { text, json, exitCode }: CommandResult): ToolResult {
  const [only, ...others] = json;
  const view = others.length > 0 ? { items: json } : { ...only };
  if (tool === 'check_handler') return toCheckResult(view);
  if (tool === 'explore_suite') {
    const findings = isObject(only) && Array.isArray(only['findings']) ? only['findings'] : [];
    // Exit code 1 without findings: the suite did not use the sandbox, or the run was stopped.
    const isFinding = exitCode !== EXIT_CODES.no || findings.length > 0;
    const next = (isFinding && EXPLORE_NEXT[exitCode]) || 'Read the reason above, then start again.';
    return { text, json: view, next };
  }
  return { text, json: view, next: NEXT[tool] ?? 'Continue.', keepsEnd: action === 'recent' };
}

/** Reduces a report to what fixes the handler: each failure with its cause, fix and evidence. */
function toCheckResult(view: Readonly<Record<string, unknown>>): ToolResult {
  const checks = (Array.isArray(view['checks']) ? view['checks'] : []).filter(isObject);
  const failures = checks
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
    .map(({ id, level, sent, got, expected, likely, fix, known }) => {
      return { id, level, cause: likely, fix, sent, received: got, expected, known };
    });
  const { ok, headline, not_observed: unobserved, scope, summary } = view;
  const [first] = failures;
  const missing = (Array.isArray(unobserved) ? unobserved : []).filter(isObject);
  const ids = missing.map(({ id }) => String(id)).join(', ');
  const passed = missing.length === 0 ? 'Every check passed.' : `No check failed; not observed: ${ids}.`;
  const next =
    first === undefined
      ? scope === 'effects'
        ? `${passed} Now run explore_suite, if a test command is configured.`
        : `${passed} Effects were not checked: ask the user to set check.probe and check.order.`
      : `Fix ${String(first.id)}: ${String(first.fix)}. Then run check_handler again.`;
  const reasons = missing.map(({ id, reason }) => `${String(id)} was not observed: ${String(reason)}`);
  return {
    text: [String(headline), ...failures.map(formatFailure), ...reasons].join('\n\n'),
    json: { ok, failed: failures.length, headline, summary, failures, not_observed: unobserved },
    next,
  };
}

function formatFailure(failure: Readonly<Record<string, unknown>>): string {
  const lines = ['cause', 'fix', 'sent', 'received', 'expected'].map(
    (name) => `  ${name}: ${String(failure[name])}`,
  );
  return [String(failure['id']), ...lines].join('\n');
}

/** The next step by exit code of `explore`. */
const EXPLORE_NEXT: Readonly<Record<number, string>> = {
  [EXIT_CODES.done]: 'No finding. The report says what was not tried; faults "all" adds outages.',
  [EXIT_CODES.no]: 'Fix the first finding; its reproduction is the field repeat.',
  [EXIT_CODES.usage]: 'The suite is flaky: make it pass reliably without faults, then start again.',
  [EXIT_CODES.timedOut]: 'No finding yet: the budget ran out. Start again with a larger budget.',
};

const NEXT: Readonly<Record<string, string>> = {
  sandbox_status: 'Read guide AGENTS, or cause an event with trigger_event.',
  pay: 'See the consequences with what_happened.',
  trigger_event: 'If a delivery failed, see it with show (delivery) or verify_signature.',
  what_happened: 'Show one entry with show, or verify its signature.',
  show: 'See causes with what_happened.',
  verify_signature: 'Apply the fix, then run check_handler.',
  clock: 'See what ran with what_happened.',
  world: 'Run your scenario, then what_happened.',
};

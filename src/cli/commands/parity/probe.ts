import { createHash } from 'node:crypto';
import { formatIsoTime, MINUTE_MS } from '../../../contract/time.js';
import { createTimeout } from '../../../delivery/abort.js';
import { isLoopback } from '../../../delivery/addresses.js';
import { type FactId, PROBE_PARTS, type ProbePart } from '../../../parity/facts.js';
import { suggestFees } from '../../../parity/fees.js';
import { type ProbeCredentials, ProbeStop, type WebhookSource } from '../../../parity/implementation.js';
import { createObservations, type Observations } from '../../../parity/observer.js';
import {
  createCounters,
  OtherImplementation,
  PROBE_LIMITS,
  type ProbeCounters,
} from '../../../parity/other-implementation.js';
import {
  compareAll,
  type FactOutcome,
  inferFrom,
  judgeFacts,
  questionImplementation,
  questionSandbox,
  planRequests,
  type ProbeScope,
} from '../../../parity/probe.js';
import { openProbeReceiver } from '../../../parity/receiver.js';
import { createParityRecord, judgeRecord, PARITY_FILE, type ParityRecord } from '../../../parity/record.js';
import { withProgramName } from '../../../text/program-name.js';
import { KnownSecrets } from '../../../text/redaction.js';
import { parseUrl } from '../../../text/urls.js';
import { PARITY_VARIABLES, type PARITY_COMMANDS } from '../../declarations/parity.js';
import { resolveSettings } from '../../program/configured-options.js';
import type { BodyOf, InvocationOf } from '../../program/declaration.js';
import { CliError, createUsageError, EXIT_CODES, INTERRUPTED_EXIT_CODE } from '../../program/errors.js';
import { ExitCode, type Io } from '../../program/io.js';
import type { PromptFlow } from '../../prompts/prompter.js';
import { createProgressLine } from '../../terminal/text.js';
import {
  readParityRecord,
  readProjectAssumptions,
  readSavedProbe,
  saveProbe,
  writeAssumptions,
  writeParityRecord,
} from './files.js';
import { formatOutcomes, formatPlan, formatWrittenSettings, toOutcomeJson } from './text.js';

type Invocation = InvocationOf<typeof PARITY_COMMANDS.probe>;

const DEFAULT_WAIT_MS = 10 * MINUTE_MS;
const RETRY_WAIT_MS = 3 * MINUTE_MS;
const DEFAULT_ENDPOINT_PORT = 7491;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Validated input of a probe. */
interface Plan {
  readonly against: URL;
  readonly againstKyc: URL | undefined;
  readonly endpoint: URL | undefined;
  readonly credentials: ProbeCredentials;
  readonly scope: ProbeScope;
  /** Identifies the servers and the account, without secrets. */
  readonly key: string;
}

/** Runs `sandbox parity probe`. Exits with 1 if something differs or the probe was stopped. */
export const probeParity: BodyOf<typeof PARITY_COMMANDS.probe> = async (invocation) => {
  const { io, options } = invocation;
  const plan = planProbe(invocation);
  if (!options.yes) {
    throw createUsageError(
      'parity probe asks before it sends requests, which requires a terminal.',
      'To start without a question, pass --yes.',
    );
  }
  const current = readCurrentValues(io);
  const earlier = readParityRecord(io);
  if (earlier !== undefined) checkRecordedServer(earlier, plan.against);
  if (!io.json && !io.interactive) io.note(formatPlan(io, plan.scope, plan.against.origin));
  const observations = await observeOther(invocation, plan);
  if (observations === undefined) return new ExitCode(EXIT_CODES.timedOut);
  const { values: inferred, unknown } = inferFrom(observations);
  const values = { ...suggestFees(observations.notes, current), ...inferred };
  const sandbox = await questionSandbox({ ...current, ...values }, plan.scope, createObservations());
  const compared = compareAll(sandbox, observations);
  const { parts } = plan.scope;
  const outcomes = judgeFacts({ current, values, compared, unknown }, parts);
  const record = createParityRecord(outcomes, { against: plan.against.origin, nowMs: Date.now(), earlier });
  writeParityRecord(io, record);
  warnOfRefusedSignatures(io, unknown);
  // Facts of earlier probes also count.
  return report(invocation, await judgeRecord(record, current, { unknown, parts }));
};

/** Throws if the file contains the facts of another server, which a probe would replace. */
function checkRecordedServer({ against }: ParityRecord, { origin }: URL): void {
  if (against === origin) return;
  throw createUsageError(
    `${PARITY_FILE} contains the facts of ${against}, which a probe of ${origin} would replace.`,
    `Move or delete ${PARITY_FILE} first, or run the probe in another directory.`,
  );
}

function warnOfRefusedSignatures({ colors, json, note }: Io, unknown: Partial<Record<FactId, string>>): void {
  const reason = unknown['signature.encoding'];
  if (reason !== undefined && !json) note(`${colors.yellow('warning')} Signatures remain unknown. ${reason}`);
}

/** Prints the outcomes, and writes the settings with --write. */
function report({ io, options }: Invocation, outcomes: readonly FactOutcome[]): number {
  const settings = outcomes.filter(({ value, current }) => value !== undefined && value !== current);
  const hasDifferences = outcomes.some(({ outcome }) => outcome === 'differs');
  io.say(formatOutcomes(io, outcomes, options.write));
  if (options.write && settings.length > 0) {
    io.say(formatWrittenSettings(io, settings));
    const path = writeAssumptions(io, settings);
    if (!io.json) io.note(`Written to ${path}.`);
  }
  io.emit({
    ok: !hasDifferences && (settings.length === 0 || options.write),
    facts: outcomes.map(toOutcomeJson),
  });
  if (!io.json)
    io.note(`The results are in ${PARITY_FILE}. Commit it, and run \`${io.program} parity check\` in CI.`);
  return hasDifferences || (settings.length > 0 && !options.write) ? EXIT_CODES.no : EXIT_CODES.done;
}

/** Shows the plan and asks for confirmation. */
export const probeQuestions: PromptFlow<Invocation> = async (invocation, asker) => {
  const { io } = invocation;
  const { scope, against, key } = planProbe(invocation);
  const earlier = readParityRecord(io);
  if (earlier !== undefined) checkRecordedServer(earlier, against);
  io.note(formatPlan(io, scope, against.origin));
  const sent = readSavedProbe(io, key)?.counters.requests ?? 0;
  if (sent > 0) io.note(`An earlier probe is resumed after ${sent} requests.`);
  if (await asker.confirm('Send these requests?', false)) return { args: [], options: { yes: true } };
  throw new CliError(INTERRUPTED_EXIT_CODE, 'NOT_ANSWERED', 'No request was sent.', {
    hint: 'The plan lists everything that a probe does; `npx sandbox parity probe --help` explains it.',
  });
};

/** Validates the options and the credentials. Throws a usage error. */
function planProbe({ io, options }: Invocation): Plan {
  const { charges, sessions, endpoint: endpointText, againstKyc: kycText } = options;
  if (options.against === undefined) {
    throw createUsageError(
      'parity probe requires an address.',
      'For example: npx sandbox parity probe --against https://api.example',
    );
  }
  const against = parseOrigin('--against', options.against);
  const againstKyc = kycText === undefined ? undefined : parseOrigin('--against-kyc', kycText);
  if (sessions && againstKyc === undefined) {
    throw createUsageError('--sessions requires --against-kyc.', 'Pass the origin of the identity API.');
  }
  for (const flag of ['endpointPort', 'wait'] as const) {
    if (options[flag] !== undefined && endpointText === undefined) {
      throw createUsageError(`--${flag === 'wait' ? 'wait' : 'endpoint-port'} requires --endpoint.`);
    }
  }
  const endpoint = endpointText === undefined ? undefined : parseHttps('--endpoint', endpointText);
  const credentials = readCredentials(io, againstKyc !== undefined);
  const flags = { reads: true, refusals: true, charges, sessions, endpoint: endpoint !== undefined };
  const parts = (Object.keys(PROBE_PARTS) as ProbePart[]).filter((part) => flags[part]);
  const scope = {
    parts: new Set(parts),
    hasIdentity: againstKyc !== undefined,
    tokens: credentials.tokens.length,
  };
  const subject = [against.origin, againstKyc?.origin, credentials.accountId];
  const key = createHash('sha256').update(JSON.stringify(subject)).digest('hex');
  return { against, againstKyc, endpoint, credentials, scope, key };
}

function parseHttps(flag: string, text: string): URL {
  const url = parseUrl(text);
  if (url !== undefined && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))))
    return url;
  throw createUsageError(
    `${flag} must be an https URL; got ${text}.`,
    'Only servers on this machine can be reached with http, because requests contain credentials.',
  );
}

function parseOrigin(flag: string, text: string): URL {
  const url = parseHttps(flag, text);
  if (url.href === `${url.origin}/`) return url;
  throw createUsageError(`${flag} must be an origin; got ${text}.`, `For example: ${flag} ${url.origin}`);
}

function readCredentials({ env }: Io, needsKyc: boolean): ProbeCredentials {
  const needed = PARITY_VARIABLES.filter(({ name }) => needsKyc || name !== 'PARITY_KYC_TOKEN');
  const missing = needed.filter(({ name }) => (env[name] ?? '').trim() === '');
  if (missing.length > 0) {
    throw createUsageError(
      `parity probe requires ${missing.map(({ name }) => name).join(', ')} in the environment.`,
      'Use credentials of the TEST environment. SANDBOX_* variables are not used: they belong to the sandbox.',
    );
  }
  if (!UUID.test((env['PARITY_ACCOUNT_ID'] ?? '').trim())) {
    throw createUsageError(
      'PARITY_ACCOUNT_ID must be a UUID.',
      'Use the id of an account in the TEST environment.',
    );
  }
  const [token = '', ...tokens] = (env['PARITY_TOKEN'] ?? '').split(',').map((text) => text.trim());
  return {
    tokens: [token, ...tokens.filter((text) => text !== '')],
    signingSecret: env['PARITY_SIGNING_SECRET'] ?? '',
    accountId: (env['PARITY_ACCOUNT_ID'] ?? '').trim(),
    kycToken: needsKyc ? (env['PARITY_KYC_TOKEN'] ?? '').trim() : undefined,
  };
}

/** Returns the values of all configurable assumptions with the project’s settings. Throws for invalid settings. */
export function readCurrentValues(io: Io): Readonly<Record<string, string>> {
  resolveSettings({}, io, 'start');
  const lines = readProjectAssumptions(io).filter(({ choices }) => choices !== null);
  return Object.fromEntries(lines.map(({ id, value }) => [id, value]));
}

/** Asks the other implementation. Returns undefined if the user interrupted the probe. */
async function observeOther({ io, options }: Invocation, plan: Plan): Promise<Observations | undefined> {
  const { against, againstKyc, credentials, scope, key } = plan;
  const state = readSavedProbe(io, key);
  const observations = state?.observations ?? createObservations();
  const counters: ProbeCounters = state?.counters ?? createCounters();
  const secrets = new KnownSecrets([
    ...credentials.tokens,
    credentials.signingSecret,
    credentials.kycToken ?? '',
  ]);
  waitForServer(counters);
  if (state !== undefined && observations.asked.length > 0 && !io.json)
    io.note('Resuming the earlier probe.');
  const progress = createProgressLine(io, 'Sending the first request…');
  const save = () => saveProbe(io, { key, observations, counters });
  await using webhooks = plan.endpoint && (await openWebhooks(plan.endpoint, { io, options }));
  const other = new OtherImplementation({
    urls: { payments: against.origin, identity: againstKyc?.origin },
    credentials,
    counters,
    isTest: options.environmentIsTest,
    signal: io.stopping,
    onRequest: ({ method, target }) => {
      save();
      progress.show(`${counters.requests}/${countRequests(scope)} ${method} ${target}`);
    },
    webhooks,
  });
  try {
    await questionImplementation(other, observations, scope, { onAsked: save });
    saveProbe(io, pendingState(key, observations));
    return observations;
  } catch (error) {
    if (!(error instanceof ProbeStop) && !io.stopping.aborted) throw error;
    save();
    if (io.stopping.aborted) {
      io.emit({ ok: false, interrupted: true });
      if (!io.json) io.note('Interrupted. The same command resumes the probe.');
      return undefined;
    }
    throw toCliError(error as ProbeStop, secrets, io);
  } finally {
    progress.end();
  }
}

function countRequests(scope: ProbeScope): number {
  const planned = planRequests(scope).reduce((sum, [, count]) => sum + count, 0);
  return Math.min(planned, PROBE_LIMITS.requests);
}

/** Throws if the server asked for a longer wait than the probe would wait. */
function waitForServer({ notBefore }: ProbeCounters): void {
  if (notBefore - Date.now() <= PROBE_LIMITS.retryAfterMs) return;
  const until = formatIsoTime(notBefore);
  throw new CliError(EXIT_CODES.no, 'PROBE_STOPPED', `The server asked to wait until ${until}.`, {
    hint: 'Run the same command again then: it resumes.',
  });
}

function toCliError(stop: ProbeStop, secrets: KnownSecrets, io: Io): CliError {
  const hint = withProgramName(stop.hint, io.program);
  return new CliError(EXIT_CODES.no, 'PROBE_STOPPED', secrets.hide(stop.message), { hint });
}

/** Returns the state of a finished probe: only a session whose expiry is still unknown. */
function pendingState(key: string, { notes }: Observations) {
  const id = notes['session id'];
  if (id === undefined || notes['session.lapsed_result'] !== undefined) return undefined;
  return {
    key,
    observations: { ...createObservations(), notes: { 'session id': id } },
    counters: createCounters(),
  };
}

/** Receives the endpoint’s webhooks on this machine, through the user’s tunnel. */
async function openWebhooks(endpoint: URL, { io, options }: Pick<Invocation, 'io' | 'options'>) {
  const { endpointPort = DEFAULT_ENDPOINT_PORT, wait } = options;
  const receiver = await openProbeReceiver(endpointPort).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw createUsageError(
      `Port ${endpointPort} cannot be used (${code}).`,
      'Choose another port with --endpoint-port.',
    );
  });
  let first: string | undefined;
  let firstMs = 0;
  const within = (ms: number) => AbortSignal.any([io.stopping, createTimeout(ms)]);
  const ignoreTimeout = () => {
    io.stopping.throwIfAborted();
    return undefined;
  };
  const source: WebhookSource & AsyncDisposable = {
    url: endpoint.href,
    pay: async () => {
      io.note(
        `Waiting for webhooks on port ${receiver.port}. Now pay a charge with the provider’s own tool.`,
      );
    },
    next: async () => {
      const webhook = await receiver.next(within(wait?.ms ?? DEFAULT_WAIT_MS)).catch(ignoreTimeout);
      first = webhook?.headers['webhook-id'];
      firstMs = webhook?.atMs ?? 0;
      if (webhook !== undefined)
        io.note('A webhook arrived and was answered with 500. Waiting for its retry…');
      return webhook;
    },
    awaitRetry: async () => {
      const isWanted = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
        headers['webhook-id'] === first;
      const webhook = await receiver.next(within(RETRY_WAIT_MS), isWanted).catch(ignoreTimeout);
      return webhook && { webhook, waitedMs: webhook.atMs - firstMs };
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
  return source;
}

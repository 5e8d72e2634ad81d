import type { KnownSecret } from '../../signing/diagnosis/diagnose.js';
import { type ControlClient, NOT_A_SANDBOX, NotReachableError, SandboxError } from '../../client/control.js';
import { resolveScheme } from '../../contract/request-scheme.js';
import type { RequestScheme } from '../../signing/request.js';
import { SecretFormatError, webhookKey } from '../../signing/webhook.js';
import { shortenSecret } from '../../text/redaction.js';
import { CREDENTIAL_VARIABLES } from '../program/configured-options.js';
import { CliError, EXIT_CODES, wrapRemoteError, createUsageError } from '../program/errors.js';
import { readBytes } from '../program/input-bytes.js';
import type { Io } from '../program/io.js';
import { type SandboxSearch, withRunningSandbox } from '../sandbox/find-sandbox.js';

export interface FoundSecret {
  readonly secret: string;
  readonly source: string;
}

/** Input for finding secrets: options, the environment and the sandbox, in this order. */
interface Search extends SandboxSearch {
  readonly io: Io;
  readonly options: SandboxSearch['options'] & {
    readonly secret: readonly string[] | string | undefined;
    readonly secretFile: string | undefined;
  };
}

type EnvName = 'SANDBOX_WEBHOOK_SECRET' | 'SANDBOX_SIGNING_SECRET';

/**
 * Finds a command's webhook secrets. Checks `--secret` and `--secret-file` first, then
 * SANDBOX_WEBHOOK_SECRET, then the running sandbox. Throws a usage error if no secret is found, or if a
 * secret is not `whsec_` followed by base64 (§5.5).
 */
export async function findWebhookSecrets(search: Search): Promise<readonly FoundSecret[]> {
  const found = await findSecrets(search, 'SANDBOX_WEBHOOK_SECRET');
  if (found.length === 0) throw noSecret('webhook', 'whsec_…');
  for (const [index, { secret, source }] of found.entries()) checkForm(secret, index, source);
  return found;
}

/**
 * Finds an application's signing secret in the same order as `findWebhookSecrets` (§5.2). Throws a usage
 * error unless exactly one secret is found.
 */
export async function findSigningSecret(search: Search): Promise<FoundSecret> {
  const [found, ...others] = await findSecrets(search, 'SANDBOX_SIGNING_SECRET');
  if (found === undefined || found.secret === '') throw noSecret('signing', '…');
  if (others.length === 0) return found;
  throw createUsageError(
    `A request is signed with one secret; got ${others.length + 1}.`,
    'Pass only one secret.',
  );
}

function noSecret(kind: 'webhook' | 'signing', form: string): CliError {
  const variable = `SANDBOX_${kind.toUpperCase()}_SECRET`;
  return createUsageError(
    `Expected a ${kind} secret, found none: no --secret, no ${variable}, no running sandbox.`,
    `Pass --secret ${form} or --secret-file FILE, or start a sandbox with \`npx sandbox start\`.`,
  );
}

/**
 * Finds other secrets and credentials in the environment and the running sandbox that could have been used by
 * mistake.
 */
export async function findSecretSources(
  search: Search,
  found: readonly FoundSecret[],
): Promise<readonly KnownSecret[]> {
  const published: Readonly<Record<string, string | undefined>> = {
    ...(await publishedCredentials(search)),
    ...search.io.env,
  };
  return CREDENTIAL_VARIABLES.flatMap((name) => {
    const secret = published[name];
    if (!secret || found.some((known) => known.secret === secret)) return [];
    return [{ name, secret, note: name === 'SANDBOX_WEBHOOK_SECRET' ? 'other' : 'credential' }];
  });
}

/**
 * Fetches the running sandbox's environment block. Returns undefined on failure, because diagnosis does not
 * require the block.
 */
async function publishedCredentials(search: Search) {
  try {
    return await withRunningSandbox(search, (client) => client.get('env'));
  } catch (error) {
    if (error instanceof CliError || error instanceof SandboxError || error instanceof NotReachableError)
      return undefined;
    throw error;
  }
}

export function formatSecretSource(found: readonly FoundSecret[], index: number): string {
  const { secret = '', source = '' } = found[index] ?? {};
  return `${index + 1} of ${found.length}, ${shortenSecret(secret)} (${source})`;
}

async function findSecrets(search: Search, name: EnvName): Promise<readonly FoundSecret[]> {
  const { io, options } = search;
  const { secret = [], secretFile: file } = options;
  const given = [secret].flat().map((secret) => ({ secret, source: '--secret' }));
  const chosen = file === undefined ? given : [...given, ...(await secretsIn(io, file))];
  if (chosen.length > 0) return chosen;
  const fromEnv = io.env[name];
  if (fromEnv) return [{ secret: fromEnv, source: name }];
  const fromSandbox = await queryRunningSandbox(search, async (client) => {
    const { [name]: secret } = await client.get('env');
    return secret === undefined ? undefined : { secret, source: `the sandbox at ${client.url}` };
  });
  return fromSandbox === undefined ? [] : [fromSandbox];
}

async function secretsIn(io: Io, file: string): Promise<readonly FoundSecret[]> {
  const lines = (await readBytes(io, file))
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split('\n');
  const secrets = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (secrets.length > 0) return secrets.map((secret) => ({ secret, source: '--secret-file' }));
  throw createUsageError(`${file} contains no secrets.`, 'Write one secret per line.');
}

function checkForm(secret: string, index: number, source: string): void {
  try {
    webhookKey(secret);
  } catch (error) {
    if (!(error instanceof SecretFormatError)) throw error;
    throw createUsageError(`Secret ${index + 1} (${source}): ${error.message}`, SECRET_HINT);
  }
}

const SECRET_HINT =
  'Use the secret returned when the endpoint was created; for `listen`, use ' +
  'SANDBOX_WEBHOOK_SECRET from `npx sandbox env`.';

/**
 * Queries this project's sandbox. Resolves to undefined if no sandbox is running and `--url` was not passed.
 * Reports refused requests as usage errors, because exit code 1 means an invalid signature.
 */
export async function queryRunningSandbox<Answer>(
  invocation: SandboxSearch,
  ask: (client: ControlClient) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await withRunningSandbox(invocation, ask);
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code === NOT_A_SANDBOX) throw error;
    throw wrapRemoteError(EXIT_CODES.usage, error.body);
  }
}

export async function fetchRequestScheme(client: ControlClient): Promise<RequestScheme> {
  const { data } = await client.get('assumptions');
  return resolveScheme((id) => data.find((assumption) => assumption.id === id)?.value);
}

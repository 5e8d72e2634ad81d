import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type Environment, findProjectFolder } from '../../client/run-file.js';
import { loadSettings } from '../../config/load.js';
import { SecretFormatError, webhookKey } from '../../signing/webhook.js';
import { type EnvironmentMapping, listMappedNames } from '../../text/environment.js';
import { shortenSecret } from '../../text/redaction.js';
import type { Io } from '../program/io.js';
import { parseMapping } from '../program/options.js';

/** Variables of this process or of an env file. */
export interface EnvSource {
  /** File name, or `the environment`. */
  readonly name: string;
  readonly values: Environment;
}

const ENV_FILE = /^\.env(?:\.|$)/;
/** Matches files with placeholders instead of values. */
const TEMPLATE = /\.(?:example|sample|template|dist)$/;
const MAX_FILE_BYTES = 100_000;

/** Reads this process's environment and the env files in the working directory. Skips unreadable files. */
export function readEnvSources({ env, cwd }: Pick<Io, 'env' | 'cwd'>): readonly EnvSource[] {
  return [
    { name: 'the environment', values: env },
    ...attempt(() => readdirSync(cwd), [])
      .filter((name) => ENV_FILE.test(name) && !TEMPLATE.test(name))
      .toSorted()
      .map((name) => ({ name, values: attempt(() => readEnvFile(join(cwd, name)), {}) })),
  ];
}

function readEnvFile(path: string): Environment {
  const stats = statSync(path);
  return stats.isFile() && stats.size <= MAX_FILE_BYTES ? parseEnv(readFileSync(path, 'utf8')) : {};
}

function attempt<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Reads the setting `env` of the project. Ignores invalid settings, which `doctor` and `config` report. */
export function readOwnMapping({ env, cwd }: Pick<Io, 'env' | 'cwd'>): EnvironmentMapping {
  const { values } = loadSettings({ env, cwd, folder: findProjectFolder(cwd), given: {} });
  const pairs = values.find(({ setting }) => setting.key === 'env')?.value;
  return parseMapping(Array.isArray(pairs) ? pairs : []);
}

/** Names under which applications usually read their webhook secret. */
const SECRET_NAMES = ['SANDBOX_WEBHOOK_SECRET', 'PIX_WEBHOOK_SECRET', 'WEBHOOK_SECRET'];

/**
 * Compares the webhook secrets in the environment and the env files with the `known` ones. `others` describes the
 * different ones as sentences; `isFound` is true if a source contains a known one.
 */
export function compareSecrets(io: Pick<Io, 'env' | 'cwd'>, known: readonly string[]) {
  const shown = known.map(shortenSecret).join(' or ');
  const own = listMappedNames(readOwnMapping(io), 'SANDBOX_WEBHOOK_SECRET');
  const names = [...new Set([...SECRET_NAMES, ...own])];
  const found = readEnvSources(io).flatMap(({ name: source, values }) =>
    names.map((name) => ({ where: `${name} in ${source}`, secret: values[name] ?? '' })),
  );
  const others = found.flatMap(({ where, secret }) => {
    if (known.length === 0 || secret === '' || known.includes(secret)) return [];
    const problem = findSecretProblem(secret);
    return problem === undefined
      ? `${where} is ${shortenSecret(secret)}; the endpoint’s secret is ${shown}.`
      : `${where} is malformed. ${problem}`;
  });
  return { others, isFound: found.some(({ secret }) => known.includes(secret)) };
}

/** Returns the problem of a malformed webhook secret, without the secret. */
export function findSecretProblem(secret: string): string | undefined {
  try {
    webhookKey(secret);
    return undefined;
  } catch (error) {
    if (error instanceof SecretFormatError) return error.message;
    throw error;
  }
}

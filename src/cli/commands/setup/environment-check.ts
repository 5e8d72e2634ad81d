import type { CredentialsView } from '../../../http/control/schema.js';
import { type EnvironmentMapping, listMappedNames } from '../../../text/environment.js';
import { shortenSecret } from '../../../text/redaction.js';
import { isSandboxUrl, parseUrl } from '../../../text/urls.js';
import { isLoopback } from '../../../delivery/addresses.js';
import { CREDENTIAL_VARIABLES, RESERVED_VARIABLES } from '../../program/configured-options.js';
import { type EnvSource, findSecretProblem } from '../../signatures/env-files.js';
import { toOneLine } from '../../terminal/text.js';
import { type DoctorCheck, summarizeChecks, warn } from './check-result.js';

interface EnvironmentFacts {
  /** Undefined if no sandbox is running. */
  readonly sandbox:
    | { readonly url: string; readonly credentials: CredentialsView; readonly env: object }
    | undefined;
  /** Port of the next `start`. */
  readonly startPort: number;
  /** Resolves to undefined if nothing responds at the URL. */
  readonly isSandboxAt: (url: string) => Promise<boolean | undefined>;
  /** The application's own variables. */
  readonly mapping: EnvironmentMapping;
}

const RENEW =
  '`npx sandbox env` prints the values of the running sandbox; restart the application afterwards.';
const BLOCK = RESERVED_VARIABLES.filter((name) => name !== 'SANDBOX_CONTROL_TOKEN');
const CREDENTIALS = CREDENTIAL_VARIABLES.filter((name) => BLOCK.includes(name));
const URLS = BLOCK.filter((name) => name.endsWith('_URL'));

/** Lists these variables of the environment block, and the application's own ones with the same values. */
function withOwnNames(variables: readonly string[], { mapping }: EnvironmentFacts): readonly string[] {
  return variables.flatMap((variable) => [variable, ...listMappedNames(mapping, variable)]);
}

/** Compares the application's variables, in each source, with the running sandbox. Contacts only this machine. */
export async function checkEnvironment(
  sources: readonly EnvSource[],
  facts: EnvironmentFacts,
): Promise<readonly DoctorCheck[]> {
  const all = withOwnNames(BLOCK, facts);
  const used = sources.filter(({ values }) => all.some((name) => values[name]));
  const problems = used.map(async (source) => [
    ...(await checkUrls(source, facts)),
    ...checkSecrets(source, facts),
  ]);
  const names = used.map(({ name }) => toOneLine(name, 0)).join(' and ');
  const isRemote = used.some(({ values }) =>
    withOwnNames(URLS, facts).some((name) => {
      const url = parseUrl(values[name] ?? '');
      return url !== undefined && !isLoopback(url);
    }),
  );
  const match =
    facts.sandbox === undefined
      ? 'are well-formed'
      : `match the sandbox${isRemote ? '; URLs on other machines were not contacted' : ''}`;
  return summarizeChecks(
    (await Promise.all(problems)).flat(),
    names === ''
      ? 'Neither the environment nor an .env file sets the variables.'
      : `The variables in ${names} ${match}.`,
  );
}

async function checkUrls(
  { name: source, values }: EnvSource,
  facts: EnvironmentFacts,
): Promise<DoctorCheck[]> {
  const names = withOwnNames(URLS, facts).filter((name) => values[name]);
  const byUrl = new Map(names.toReversed().map((name) => [values[name] ?? '', `${name} in ${source}`]));
  const checks = Array.from(byUrl, ([url, where]) => checkUrl(url, toOneLine(where, 0), facts));
  return (await Promise.all(checks)).flat();
}

async function checkUrl(url: string, where: string, facts: EnvironmentFacts): Promise<DoctorCheck[]> {
  const { sandbox, startPort, isSandboxAt } = facts;
  const shown = toOneLine(url, 0);
  const parsed = parseUrl(url);
  if (parsed === undefined || !isSandboxUrl(url))
    return [warn(`${where} must look like http://127.0.0.1:7490; got ${shown}.`, RENEW)];
  const isSandbox = isLoopback(parsed) ? await isSandboxAt(parsed.origin) : true;
  const isNextStart = isSandbox === undefined && sandbox === undefined && Number(parsed.port) === startPort;
  if (isSandbox === true || isNextStart) return [];
  const responds = isSandbox === undefined ? 'Nothing responds' : 'Another program responds';
  const running = sandbox === undefined ? '' : ` The sandbox is running at ${sandbox.url}.`;
  const advice = sandbox === undefined ? 'Start a sandbox there, or remove the variable.' : RENEW;
  return [warn(`${responds} at ${shown} (${where}).${running}`, advice)];
}

function checkSecrets({ name: source, values }: EnvSource, facts: EnvironmentFacts): DoctorCheck[] {
  const { sandbox } = facts;
  const where = toOneLine(source, 0);
  const malformed = withOwnNames(['SANDBOX_WEBHOOK_SECRET'], facts).flatMap((name) => {
    const problem = values[name] ? findSecretProblem(values[name]) : undefined;
    return problem === undefined ? [] : [{ name, problem }];
  });
  const checks = malformed.map(({ name, problem }) =>
    warn(`${name} in ${where} is malformed. ${problem}`, RENEW),
  );
  if (sandbox === undefined) return checks;
  const { apps, endpoints } = sandbox.credentials;
  const known = new Set<unknown>(
    [...apps, ...endpoints, sandbox.env].flatMap((one) => Object.values(one).flat()),
  );
  const unknown = withOwnNames(CREDENTIALS, facts)
    .filter((name) => values[name] && !known.has(values[name]) && malformed.every((one) => one.name !== name))
    .map((name) => `${name} in ${where} (${shortenSecret(values[name] ?? '')})`);
  if (unknown.length === 0) return checks;
  const verb = unknown.length === 1 ? 'is' : 'are';
  return [
    ...checks,
    warn(`${unknown.join(' and ')} ${verb} unknown to the sandbox at ${sandbox.url}.`, RENEW),
  ];
}

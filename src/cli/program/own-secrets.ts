import type { Environment } from '../../client/run-file.js';
import { OTHER_NAMES } from './configured-options.js';
import { KnownSecrets } from '../../text/known-secrets.js';

const NAMES = OTHER_NAMES.filter((name) => /_(?:TOKEN|SECRET)$/.test(name));

/** The secrets of a forwarding command that an application may repeat: those of its environment, and words of the headers it adds. */
export function ownSecrets(env: Environment, headers: Readonly<Record<string, string>>): KnownSecrets {
  const given = NAMES.flatMap((name) => env[name] ?? []);
  return new KnownSecrets([...given, ...Object.values(headers).flatMap((value) => value.split(' '))]);
}

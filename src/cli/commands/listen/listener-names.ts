import { createHash } from 'node:crypto';
import { LISTENER_NAME, LISTENER_NAME_LENGTH, listenerNameRule } from '../../../text/listener-name.js';
import { withoutUrlSecrets } from '../../../text/redaction.js';
import { usageError } from '../../program/errors.js';
import { oneLine } from '../../terminal/text.js';

/** Leaves room for a number behind it. */
const DERIVED_LENGTH = 36;
const HASH_LENGTH = 8;
const LONGEST_SHOWN = 60;
const WITHOUT_TARGET = 'listener';

/**
 * A name for the listener of each target: from `--name`, with a number for further targets, or otherwise from the target, so that
 * the same command has the same name again.
 */
export function listenerNames(
  given: string | undefined,
  targets: readonly (URL | undefined)[],
): readonly string[] {
  if (given === undefined) return distinct(targets.map(derivedName));
  const room = LISTENER_NAME_LENGTH - (targets.length < 2 ? 0 : `-${targets.length}`.length);
  if (!LISTENER_NAME.pattern.test(given) || given.length > room) {
    const shown = given === '' ? '""' : oneLine(given, LONGEST_SHOWN);
    throw usageError(
      `--name takes ${listenerNameRule(room)}; got ${shown}.`,
      `For example: --name ${plain(given.slice(0, room)) || 'dev'}`,
    );
  }
  return targets.map((_, index) => (index === 0 ? given : `${given}-${index + 1}`));
}

/** Host, port and path; without the values that are not shown either. */
function derivedName(target: URL | undefined): string {
  if (target === undefined) return WITHOUT_TARGET;
  const place = withoutUrlSecrets(target.href).replace(/^https?:/, '');
  const name = plain(place) || WITHOUT_TARGET;
  if (name.length <= DERIVED_LENGTH) return name;
  const hash = createHash('sha256').update(place).digest('hex').slice(0, HASH_LENGTH);
  return `${plain(name.slice(0, DERIVED_LENGTH - HASH_LENGTH - 1))}-${hash}`;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The same names, with a number behind those that are taken. */
function distinct(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  for (const name of names) {
    let own = name;
    for (let number = 2; taken.has(own); number += 1) own = `${name}-${number}`;
    taken.add(own);
  }
  return [...taken];
}

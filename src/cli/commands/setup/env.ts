import { dotenvLine } from '../../../text/dotenv.js';
import { usageError } from '../../program/errors.js';
import type { ENV_FORMATS } from './command.js';

export function formatEnv(
  env: Readonly<Record<string, string>>,
  format: (typeof ENV_FORMATS)[number],
): string {
  if (format === 'json') return JSON.stringify(env, null, 2);
  const line = { dotenv: writableLine, shell: shellLine, github: githubLine }[format];
  return Object.entries(env)
    .map(([name, value]) => line(name, value))
    .join('\n');
}

function writableLine(name: string, value: string): string {
  const line = dotenvLine(name, value);
  if (line !== undefined) return line;
  throw usageError(`${name} holds every kind of quote, which dotenv cannot write.`, 'Use --format shell.');
}

function shellLine(name: string, value: string): string {
  return `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;
}

/** In $GITHUB_ENV quotes are part of a value; a value of several lines needs a delimiter. */
function githubLine(name: string, value: string): string {
  if (!value.includes('\n')) return `${name}=${value}`;
  const marks = value.match(/END_*/g) ?? [];
  const longest = marks.reduce((most, { length }) => Math.max(most, length), 'EN'.length);
  const mark = `END${'_'.repeat(longest - 'EN'.length)}`;
  return `${name}<<${mark}\n${value}\n${mark}`;
}

import { mapEnvironment } from '../../../text/environment.js';
import { formatDotenvLine } from '../../../text/shell/words.js';
import { declareCommand } from '../../program/declaration.js';
import { createUsageError } from '../../program/errors.js';
import { defineChoice, parseMapping, withDefault } from '../../program/options.js';
import { defineSettings } from '../../program/setting-options.js';

const FORMATS = ['dotenv', 'json', 'shell', 'github'] as const;

export const env = declareCommand({
  name: 'env',
  summary: 'print the environment variables for your application',
  description:
    'No other command prints these values in full. On loopback, the values are the same on every ' +
    'start. Requires a running sandbox, so that a CI job without a sandbox fails early; ' +
    '`init` writes the values to .env.test without a sandbox, and `exec` passes them to a command.',
  options: {
    ...defineSettings('env'),
    format: withDefault(
      defineChoice('format', 'dotenv, json, shell or github (default: dotenv)', FORMATS),
      'dotenv',
    ),
  },
  examples: ['> .env.test', '--format shell', '--env PIX_TOKEN=SANDBOX_TOKEN'],
  related: ['start', 'exec'],
}).shows(
  async (client, { options }) => mapEnvironment(await client.get('env'), parseMapping(options.env)),
  (_, block, __, { options }) => formatEnv(block, options.format),
);

export function formatEnv(env: Readonly<Record<string, string>>, format: (typeof FORMATS)[number]): string {
  if (format === 'json') return JSON.stringify(env, null, 2);
  const line = { dotenv: writableLine, shell: shellLine, github: githubLine }[format];
  return Object.entries(env)
    .map(([name, value]) => line(name, value))
    .join('\n');
}

function writableLine(name: string, value: string): string {
  const line = formatDotenvLine(name, value);
  if (line !== undefined) return line;
  throw createUsageError(
    `${name} contains every kind of quote, which dotenv cannot represent.`,
    'Use --format shell.',
  );
}

function shellLine(name: string, value: string): string {
  return `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;
}

/** Formats a line for $GITHUB_ENV, where quotes are literal and multiline values require a delimiter. */
function githubLine(name: string, value: string): string {
  if (!value.includes('\n')) return `${name}=${value}`;
  const marks = value.match(/END_*/g) ?? [];
  const longest = marks.reduce((max, { length }) => Math.max(max, length), 'EN'.length);
  const mark = `END${'_'.repeat(longest - 'EN'.length)}`;
  return `${name}<<${mark}\n${value}\n${mark}`;
}

import type { Io } from '../../program/io.js';

/** What somebody has to know of a sandbox that is ready: where it is, and the environment block for their application. */
export function readyLines(
  { colour }: Pick<Io, 'colour'>,
  { url, version, env }: { url: string; version: string; env: Readonly<Record<string, string | undefined>> },
): string[] {
  const { bold } = colour;
  const block = Object.entries(env).map(([name, value]) => `  ${name}=${value}`);
  return [`${bold('PIX sandbox')} ${version} is ready at ${bold(url)}\n`, ...block];
}

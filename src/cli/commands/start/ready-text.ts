import type { Io } from '../../program/io.js';

export function readyLines(
  { colour }: Pick<Io, 'colour'>,
  { url, version, env }: { url: string; version: string; env: Readonly<Record<string, string | undefined>> },
): string[] {
  const { bold } = colour;
  const block = Object.entries(env).map(([name, value]) => `  ${name}=${value}`);
  return [`${bold('PIX sandbox')} ${version} is ready at ${bold(url)}\n`, ...block];
}

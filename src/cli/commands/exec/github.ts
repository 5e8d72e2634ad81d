import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Io } from '../../program/io.js';

export interface RepositoryPlace {
  readonly file: string;
  readonly line: number;
}

/** Marks an error, or a warning, if this runs in GitHub Actions. */
export function annotate(
  { env, cwd, note }: Pick<Io, 'env' | 'cwd' | 'note'>,
  title: string,
  message: string,
  place?: RepositoryPlace,
  level: 'error' | 'warning' = 'error',
): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const file = place && `file=${inProperty(repositoryPath(cwd, env.GITHUB_WORKSPACE, place.file))},`;
  const at = place === undefined ? '' : `${file}line=${place.line},`;
  note(`::${level} ${at}title=${inProperty(`pix-sandbox ${title}`)}::${inMessage(message)}`);
}

/** GitHub shows an annotation next to the line only if the path begins at the root of the repository. */
function repositoryPath(cwd: string, workspace: string | undefined, file: string): string {
  const path = resolve(cwd, file);
  const inside = relative(workspace || cwd, path);
  const isOutside = inside.split(sep)[0] === '..' || isAbsolute(inside);
  return (isOutside ? path : inside).split(sep).join('/');
}

function inMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function inProperty(text: string): string {
  return inMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

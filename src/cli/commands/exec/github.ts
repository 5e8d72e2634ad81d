import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Io } from '../../program/io.js';

const IN_MESSAGE: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A' };
const IN_PROPERTY: Readonly<Record<string, string>> = { ...IN_MESSAGE, ':': '%3A', ',': '%2C' };

/** Where in the repository an error is; the line counts from 1. */
export interface RepositoryPlace {
  readonly file: string;
  readonly line: number;
}

/** Marks an error if this runs in GitHub Actions. The file of the place may be relative to the working folder. */
export function annotate(
  { env, cwd, note }: Pick<Io, 'env' | 'cwd' | 'note'>,
  title: string,
  message: string,
  place?: RepositoryPlace,
): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  const inRepository = place && { ...place, file: repositoryPath(cwd, env.GITHUB_WORKSPACE, place.file) };
  note(githubError(`pix-sandbox ${title}`, message, inRepository));
}

/** GitHub shows an annotation beside the line only if the path begins at the root of the repository. */
function repositoryPath(cwd: string, workspace: string | undefined, file: string): string {
  const path = resolve(cwd, file);
  const inside = relative(workspace || cwd, path);
  const isOutside = inside.split(sep)[0] === '..' || isAbsolute(inside);
  return (isOutside ? path : inside).split(sep).join('/');
}

/** The line that marks an error in GitHub Actions, with its special characters escaped. */
export function githubError(title: string, message: string, place?: RepositoryPlace): string {
  const at = place === undefined ? '' : `file=${escaped(place.file, IN_PROPERTY)},line=${place.line},`;
  return `::error ${at}title=${escaped(title, IN_PROPERTY)}::${escaped(message, IN_MESSAGE)}`;
}

function escaped(text: string, codes: Readonly<Record<string, string>>): string {
  return text.replaceAll(/[%\r\n:,]/g, (character) => codes[character] ?? character);
}

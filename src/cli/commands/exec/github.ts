import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Io } from '../../program/io.js';

const IN_MESSAGE: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A' };
const IN_PROPERTY: Readonly<Record<string, string>> = { ...IN_MESSAGE, ':': '%3A', ',': '%2C' };

/** Where in the repository an error is; the line counts from 1. */
export interface RepositoryPlace {
  readonly file: string;
  readonly line: number;
}

type Annotating = Pick<Io, 'env' | 'cwd' | 'note'>;

/** Marks an error if this runs in GitHub Actions. The file of the place may be relative to the working folder. */
export function annotate(io: Annotating, title: string, message: string, place?: RepositoryPlace): void {
  const { env, cwd } = io;
  const inRepository = place && { ...place, file: repositoryPath(cwd, env.GITHUB_WORKSPACE, place.file) };
  print(io, { level: 'error', title, message, place: inRepository });
}

export function annotateWarning(io: Annotating, title: string, message: string): void {
  print(io, { level: 'warning', title, message });
}

interface Annotation {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly message: string;
  readonly place?: RepositoryPlace | undefined;
}

function print({ env, note }: Annotating, annotation: Annotation): void {
  if (env.GITHUB_ACTIONS !== 'true') return;
  note(annotationLine({ ...annotation, title: `pix-sandbox ${annotation.title}` }));
}

/** GitHub shows an annotation beside the line only if the path begins at the root of the repository. */
function repositoryPath(cwd: string, workspace: string | undefined, file: string): string {
  const path = resolve(cwd, file);
  const inside = relative(workspace || cwd, path);
  const isOutside = inside.split(sep)[0] === '..' || isAbsolute(inside);
  return (isOutside ? path : inside).split(sep).join('/');
}

/** The line that GitHub Actions reads as an annotation, with its special characters escaped. */
export function annotationLine({ level, title, message, place }: Annotation): string {
  const at = place === undefined ? '' : `file=${escaped(place.file, IN_PROPERTY)},line=${place.line},`;
  return `::${level} ${at}title=${escaped(title, IN_PROPERTY)}::${escaped(message, IN_MESSAGE)}`;
}

function escaped(text: string, codes: Readonly<Record<string, string>>): string {
  return text.replaceAll(/[%\r\n:,]/g, (character) => codes[character] ?? character);
}

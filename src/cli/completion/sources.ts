import { LATEST } from '../../contract/enums.js';
import type { Candidate, ListName, CompletionContext } from './lists.js';

/** Candidates, or paths completed by the shell. */
export interface Completions {
  readonly candidates: readonly Candidate[];
  readonly paths?: 'files' | 'folders' | undefined;
}

/** Returns completions for the partially typed word. */
export type ValueSource = (typist: CompletionContext, typed: string) => Completions | Promise<Completions>;

export function completeWords(values: readonly string[]): ValueSource {
  return () => ({ candidates: values.map((value) => ({ value, description: '' })) });
}

export function completeWithDescriptions(meanings: Readonly<Record<string, string>>): ValueSource {
  const candidates = Object.entries(meanings).map(([value, description]) => ({ value, description }));
  return () => ({ candidates });
}

/** Completes comma-separated values without duplicates. */
export function completeList(values: readonly string[]): ValueSource {
  return (_, typed) => {
    const before = typed.slice(0, typed.lastIndexOf(',') + 1);
    const chosen = new Set(before.split(','));
    const left = values.filter((value) => !chosen.has(value));
    return { candidates: left.map((value) => ({ value: before + value, description: '' })) };
  };
}

/** Completes names or ids from the running sandbox, newest first, and `latest` once it is begun. */
export function completeRows(list: ListName): ValueSource {
  return async (typist, typed) => {
    const rows = await (await import('./lists.js')).listCandidates(typist, list);
    return { candidates: typed === '' ? rows : [...rows, { value: LATEST, description: 'the newest' }] };
  };
}

export const completeFiles: ValueSource = () => ({ candidates: [], paths: 'files' });
export const completeFolders: ValueSource = () => ({ candidates: [], paths: 'folders' });

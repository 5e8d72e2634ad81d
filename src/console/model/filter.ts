import type { EntryView } from '../../http/control/schema.js';
import type { EntryTest } from '../../sandbox/timeline/filter.js';
import { readFilterTerms } from '../../sandbox/timeline/filter.js';

/** A filter as it was typed, and as a test at an instant of sandbox time. */
export interface Filter {
  readonly text: string;
  /** In milliseconds; 0 for a filter that says nothing of time. */
  readonly now: number;
  readonly test: (entry: EntryView) => boolean;
  /** Whether a term after a minus hides an entry. */
  readonly hides: (entry: EntryView) => boolean;
  /** What is wrong with the text; the test of such a filter lets everything pass. */
  readonly problem: string | undefined;
}

/** Whether what a filter says of an entry may change as time passes. */
export function saysTime(text: string): boolean {
  return text.includes('since:');
}

export function filterOf(text: string, now: number): Filter {
  try {
    const { matches, excludes } = readFilterTerms(text);
    const applied = (test: EntryTest) => (entry: EntryView) =>
      test({ ...entry, at: Date.parse(entry.at), realAt: null, facts: entry }, now);
    return { text, now, test: applied(matches), hides: applied(excludes), problem: undefined };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { text, now, test: () => true, hides: () => false, problem };
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const WORST_SHOWN = 10;
const PER_WORDS = 10_000;

/** One comment or paragraph, with its place. */
interface Passage {
  readonly at: string;
  readonly text: string;
}

interface Measure {
  readonly what: string;
  readonly pattern: RegExp;
  /** The highest share: matches per 10,000 words, or passages per 100 where `isOpener`. */
  readonly inComments: number;
  readonly inDocuments: number;
  readonly isOpener?: true;
}

/** Words before "that" which introduce a clause of their own, as in "so that it" or "checks that the". */
const VERBS =
  'so|such|says?|said|means?|ensures?|checks?|assumes?|knows?|shows?|requires?|asserts?|note|sure|and|or|but|than|is|are|be|was|' +
  'now|except|expects?|guarantees?|indicates?|proves?|given|in|of|for|on|after|only|case';
const AFTER_THAT =
  'is|are|was|were|has|have|had|the|a|an|it|they|its|no|one|does|do|can|cannot|may|must|only|not';

/** Targets for comments; for documents the value that was measured, which may only fall. */
const MEASURES: readonly Measure[] = [
  {
    what: 'noun and relative clause ("the charge that is due")',
    pattern: new RegExp(String.raw`\b(?!(?:${VERBS})\b)[a-z][\w-]* that (?:${AFTER_THAT})\b`, 'gi'),
    inComments: 20,
    inDocuments: 20,
  },
  { what: '"answer"', pattern: /\banswer(?:s|ed|ing)?\b/gi, inComments: 5, inDocuments: 5 },
  { what: '"those that", "those of"', pattern: /\bthose (?:that|of)\b/gi, inComments: 1, inDocuments: 1 },
  { what: '"alone"', pattern: /\balone\b/gi, inComments: 1, inDocuments: 1 },
  {
    what: 'What, Whether, How, Why or Where as the first word',
    pattern: /^(?:What|Whether|How|Why|Where)\b/g,
    inComments: 1,
    inDocuments: 5,
    isOpener: true,
  },
];

function pathsIn(directory: string, isWanted: (path: string) => boolean): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(ROOT.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter(isWanted);
}

/** The comments of a file; consecutive line comments count as one. */
function commentsIn(path: string): Passage[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const found = text.matchAll(/\/\*\*?(?<block>[^]*?)\*\/|(?<lines>(?:^[ \t]*\/\/(?!\/ ).*\n)+)/gm);
  return [...found].flatMap(({ index, groups: { block = '', lines = '' } = {} }) => {
    const words = (block || lines).replaceAll(/^[ \t]*(?:\*|\/\/)[ \t]?/gm, ' ');
    const at = `${path}:${text.slice(0, index).split('\n').length}`;
    return [{ at, text: words.replaceAll(/\s+/g, ' ').trim() }];
  });
}

/** The paragraphs of a document, without code. */
function paragraphsIn(path: string): Passage[] {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/^( *)```[^]*?^\1```$/gm, (fence) =>
    fence.replaceAll(/[^\n]/g, ''),
  );
  return [...text.matchAll(/(?:^.*\S.*\n?)+/gm)].flatMap(([paragraph], place) => {
    const line = text.slice(0, text.indexOf(paragraph)).split('\n').length;
    const plain = paragraph.replaceAll(/`[^`\n]*`/g, 'x').replaceAll(/\s+/g, ' ');
    return [{ at: `${path}:${line}#${place}`, text: plain.trim() }];
  });
}

const comments = ['src', 'bin'].flatMap((directory) =>
  pathsIn(directory, (path) => /\.[cm]?[jt]sx?$/.test(path)).flatMap(commentsIn),
);
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...pathsIn('fixtures/guides', (path) => /^fixtures\/guides\/[^/]*\.md$/.test(path)),
].flatMap(paragraphsIn);

function shareOf({ pattern, isOpener }: Measure, passages: readonly Passage[]): number {
  const hits = passages.flatMap(({ text }) => text.match(pattern) ?? []).length;
  if (isOpener) return (100 * hits) / passages.length;
  const words = passages.flatMap(({ text }) => text.split(' ')).length;
  return (PER_WORDS * hits) / words;
}

/** The places with the most matches, one line each. */
function worst({ pattern }: Measure, passages: readonly Passage[]): string {
  const counted = passages.map((passage) => ({ ...passage, hits: passage.text.match(pattern)?.length ?? 0 }));
  const sorted = counted.filter(({ hits }) => hits > 0).toSorted((a, b) => b.hits - a.hits);
  return sorted
    .slice(0, WORST_SHOWN)
    .map(({ at, text }) => `  ${at} ${text.slice(0, 90)}`)
    .join('\n');
}

test.each(MEASURES)('comments have little of: $what', (measure) => {
  const share = shareOf(measure, comments);
  expect(share, `${share.toFixed(1)}, the worst:\n${worst(measure, comments)}\n`).toBeLessThanOrEqual(
    measure.inComments,
  );
});

test.each(MEASURES)('documents have little of: $what', (measure) => {
  const share = shareOf(measure, documents);
  expect(share, `${share.toFixed(1)}, the worst:\n${worst(measure, documents)}\n`).toBeLessThanOrEqual(
    measure.inDocuments,
  );
});

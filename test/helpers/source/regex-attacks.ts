import type { Pattern } from './regex-steps.js';

/** What a text that takes a pattern long may be made of: something once, something over and over, something that fails. */
export interface Attack {
  readonly head: string;
  readonly pump: string;
  readonly tail: string;
}

const COMMON = ' \t\n09aAzZfF"\'`/\\.,:;=-_@#?%&<>{}[]()+*$~é';
/** No pattern is about this character, except those that take anything. */
const STRANGE = '\u0001';
const TAILS = ['', STRANGE, `${STRANGE}\n`];
const MOST_CHARACTERS = 12;

/** Texts out of a pattern's own letters: each of them, each two of them, what its loops take, and what leads to these. */
export function attacksOn(pattern: Pattern): Attack[] {
  const leads = [...new Set(['', ...leadsOf(pattern, '').map(({ lead }) => lead)])];
  const characters = [...new Set(charactersOf(pattern))].slice(0, MOST_CHARACTERS);
  const single = new Set([
    ...characters,
    ...leads,
    ...leadsOf(pattern, '').flatMap(({ lead, body }) => [body, lead + body]),
  ]);
  const pairs = characters.flatMap((one) => characters.map((other) => one + other));
  return leads.flatMap((head) =>
    [...new Set([...single, ...pairs])]
      .filter((pump) => pump !== '')
      .flatMap((pump) =>
        (pump.length === 2 && !single.has(pump) ? [STRANGE] : TAILS).map((tail) => ({ head, pump, tail })),
      ),
  );
}

/** The text of an attack whose pump comes so often. */
export function attackText({ head, pump, tail }: Attack, times: number): string {
  return head + pump.repeat(times) + tail;
}

/** The greatest number that a loop of a pattern is held to. */
export function greatestBound(pattern: Pattern): number {
  const inner = Math.max(0, ...childrenOf(pattern).map(greatestBound));
  return pattern.type === 'loop' && pattern.most !== Infinity ? Math.max(inner, pattern.most) : inner;
}

function childrenOf(pattern: Pattern): readonly Pattern[] {
  if (pattern.type === 'sequence') return pattern.parts;
  if (pattern.type === 'choice') return pattern.options;
  return 'body' in pattern ? [pattern.body] : [];
}

function samplesOf(matches: (character: string) => boolean): string[] {
  return Array.from(COMMON).filter((character) => matches(character));
}

function charactersOf(pattern: Pattern): string[] {
  if (pattern.type !== 'character') return childrenOf(pattern).flatMap(charactersOf);
  const samples = samplesOf(pattern.matches);
  const own = Array.from(pattern.text).filter((character) => pattern.matches(character));
  return [...new Set([...own.slice(0, 3), ...samples.slice(0, 3), ...samples.slice(-1)])];
}

/** A short text that a pattern takes. */
function witnessOf(pattern: Pattern): string {
  if (pattern.type === 'character') return charactersOf(pattern)[0] ?? '';
  if (pattern.type === 'sequence') return pattern.parts.map(witnessOf).join('');
  if (pattern.type === 'choice') return witnessOf(pattern.options[0] ?? { type: 'sequence', parts: [] });
  if (pattern.type === 'loop')
    return witnessOf(pattern.body).repeat(Math.max(1, Math.min(pattern.least, 64)));
  return pattern.type === 'group' ? witnessOf(pattern.body) : '';
}

/** What comes before each loop of a pattern, and what the loop takes once. */
function leadsOf(pattern: Pattern, before: string): { lead: string; body: string }[] {
  if (pattern.type === 'sequence') {
    let lead = before;
    return pattern.parts.flatMap((part) => {
      const found = leadsOf(part, lead);
      lead += witnessOf(part);
      return found;
    });
  }
  const inner = childrenOf(pattern).flatMap((child) => leadsOf(child, before));
  if (pattern.type !== 'loop') return inner;
  const bodies = pattern.body.type === 'choice' ? pattern.body.options : [pattern.body];
  return [...bodies.map((body) => ({ lead: before, body: witnessOf(body) })), ...inner];
}

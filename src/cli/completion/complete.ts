import { COMMANDS, GROUPS } from '../program/command-table.js';
import type { Candidate } from './lists.js';
import type { Typist } from './running.js';
import type { Spot } from './spot.js';
import { nameOf, optionsOf, spotOf, takesValue } from './spot.js';
import type { Values } from './values.js';
import { valuesAt } from './values.js';

const PROGRAM_OPTIONS: readonly Candidate[] = [
  { value: '--help', description: 'every command' },
  { value: '--version', description: 'the version' },
];

/**
 * What may stand where somebody is typing: `words` are those of the line without the program's name, the last one being typed.
 * Candidates begin with what is typed. Says nothing, and throws nothing, where nothing is known.
 */
export async function complete(words: readonly string[], typist: Omit<Typist, 'url'>): Promise<Values> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { candidates, paths } = await valuesFor(spotOf(before), typed, { ...typist, url: urlIn(before) });
  return { candidates: candidates.filter(({ value }) => isTypable(value) && value.startsWith(typed)), paths };
}

/** Line breaks and tabs separate candidates; nothing of what we complete has them, or other control characters. */
function isTypable(value: string): boolean {
  return !/[\p{Cc}\p{Bidi_Control}]/u.test(value);
}

function valuesFor(spot: Spot, typed: string, typist: Typist): Values | Promise<Values> {
  switch (spot.at) {
    case 'command':
      return { candidates: commandsAt(spot, typed) };
    case 'value':
      return valuesAt({ command: spot.spec.name, name: spot.option.flags }, typist, typed);
    case 'argument':
      return argumentsAt(spot, typed, typist);
    case 'nowhere':
      return { candidates: [] };
  }
}

function commandsAt(
  { group, spec }: Extract<Spot, { readonly at: 'command' }>,
  typed: string,
): readonly Candidate[] {
  if (group !== undefined) {
    return COMMANDS.filter(({ name }) => name.startsWith(`${group} `)).map(({ name, summary }) => {
      return { value: name.slice(group.length + 1), description: summary };
    });
  }
  if (typed.startsWith('-')) return spec === undefined ? PROGRAM_OPTIONS : optionCandidates(spec, new Set());
  const byName = new Map<string, string>();
  for (const { name, summary } of COMMANDS) {
    const [first = name] = name.split(' ');
    byName.set(first, name === first ? summary : (byName.get(first) ?? GROUPS[first] ?? ''));
  }
  return Array.from(byName, ([value, description]) => ({ value, description }));
}

async function argumentsAt(
  spot: Extract<Spot, { readonly at: 'argument' }>,
  typed: string,
  typist: Typist,
): Promise<Values> {
  const { spec, name, given, isLiteral } = spot;
  if (typed.startsWith('-') && !isLiteral) return optionValues(spot, typed, typist);
  if (name !== undefined) return valuesAt({ command: spec.name, name }, typist, typed);
  return { candidates: isLiteral ? [] : optionCandidates(spec, given) };
}

/** An option's name, or after its `=` what it may be. */
async function optionValues(
  { spec, given }: Extract<Spot, { readonly at: 'argument' }>,
  typed: string,
  typist: Typist,
): Promise<Values> {
  const split = typed.indexOf('=');
  if (split < 0) return { candidates: optionCandidates(spec, given) };
  const name = typed.slice(0, split);
  const option = optionsOf(spec).find((option) => nameOf(option) === name && takesValue(option));
  if (option === undefined) return { candidates: [] };
  const target = { command: spec.name, name: option.flags };
  const { candidates, paths } = await valuesAt(target, typist, typed.slice(split + 1));
  return {
    candidates: candidates.map(({ value, description }) => ({ value: `${name}=${value}`, description })),
    paths,
  };
}

/** The options that may still be given. */
function optionCandidates(
  spec: Parameters<typeof optionsOf>[0],
  given: ReadonlySet<string>,
): readonly Candidate[] {
  return optionsOf(spec)
    .filter((option) => option.list || !given.has(nameOf(option)))
    .map((option) => ({ value: nameOf(option), description: option.description }));
}

/** The sandbox that the line itself names. */
function urlIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--url' || word.startsWith('--url='));
  if (at < 0) return undefined;
  return words[at]?.includes('=') ? words[at]?.slice('--url='.length) : words[at + 1];
}

/** A regular expression as a tree, as far as the ones in `src` go. */
export type Pattern =
  | { readonly type: 'character'; readonly text: string; readonly matches: (character: string) => boolean }
  | { readonly type: 'edge'; readonly holds: (input: string, at: number) => boolean }
  | { readonly type: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly type: 'choice'; readonly options: readonly Pattern[] }
  | { readonly type: 'group'; readonly number: number; readonly body: Pattern }
  | {
      readonly type: 'look';
      readonly isBehind: boolean;
      readonly isNegative: boolean;
      readonly body: Pattern;
    }
  | { readonly type: 'reference'; readonly number: number }
  | {
      readonly type: 'loop';
      readonly body: Pattern;
      readonly least: number;
      readonly most: number;
      readonly isLazy: boolean;
    };

class PatternParser {
  #at = 0;
  #groups = 0;
  readonly #source: string;
  readonly #flags: string;

  constructor({ source, flags }: RegExp) {
    this.#source = source;
    this.#flags = flags.replaceAll(/[gyd]/g, '');
  }

  choice(): Pattern {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 && options[0] !== undefined ? options[0] : { type: 'choice', options };
  }

  #sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? '')) {
      parts.push(this.#repeated(this.#atom()));
    }
    return { type: 'sequence', parts };
  }

  #repeated(body: Pattern): Pattern {
    const [text, least, comma, most] = this.#matched(/\{(\d+)(,?)(\d*)\}/y) ?? this.#matched(/[*+?]/y) ?? [];
    if (text === undefined) return body;
    const isLazy = this.#take('?');
    const range = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }[text] ?? [
      Number(least),
      comma === '' ? Number(least) : most === '' ? Infinity : Number(most),
    ];
    return { type: 'loop', body, least: range[0] ?? 0, most: range[1] ?? 0, isLazy };
  }

  #atom(): Pattern {
    if (this.#take('^')) {
      const isLine = this.#flags.includes('m');
      return { type: 'edge', holds: (input, at) => at === 0 || (isLine && input[at - 1] === '\n') };
    }
    if (this.#take('$')) {
      const isLine = this.#flags.includes('m');
      return { type: 'edge', holds: (input, at) => at === input.length || (isLine && input[at] === '\n') };
    }
    if (this.#source[this.#at] === '(') return this.#parenthesis();
    const reference = this.#matched(/\\([1-9])/y)?.[1];
    if (reference !== undefined) return { type: 'reference', number: Number(reference) };
    const [text] =
      this.#matched(/\[(?:\\.|[^\]\\])*\]/y) ??
      this.#matched(/\\(?:p\{[^}]*\}|P\{[^}]*\}|u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|[^bBk])/iy) ??
      this.#matched(/[^\\]/y) ??
      [];
    if (text === undefined) throw new Error(`Not understood: ${this.#source.slice(this.#at)}`);
    return characterOf(text, this.#flags);
  }

  #parenthesis(): Pattern {
    const [look] = this.#matched(/\(\?<?[=!]/y) ?? [];
    const isPlain = look === undefined && this.#matched(/\(\?:/y) !== undefined;
    if (look === undefined && !isPlain) {
      if (!this.#take('(') || this.#source[this.#at] === '?')
        throw new Error('A named group is not understood.');
      this.#groups += 1;
    }
    const number = this.#groups;
    const body = this.choice();
    if (!this.#take(')')) throw new Error('A group has no end.');
    if (look !== undefined) {
      return { type: 'look', isBehind: look.includes('<'), isNegative: look.endsWith('!'), body };
    }
    return isPlain ? body : { type: 'group', number, body };
  }

  #take(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #matched(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

function characterOf(text: string, flags: string): Pattern {
  const own = new RegExp(`^(?:${text})$`, flags.replace('m', ''));
  const known = new Map<string, boolean>();
  const matches = (character: string): boolean => {
    const isKnown = known.get(character);
    if (isKnown !== undefined) return isKnown;
    const isMatch = own.test(character);
    known.set(character, isMatch);
    return isMatch;
  };
  return { type: 'character', text, matches };
}

export function parsePattern(regex: RegExp): Pattern {
  return new PatternParser(regex).choice();
}

type Instruction =
  | { readonly does: 'character'; readonly matches: (character: string) => boolean; readonly isBack: boolean }
  | { readonly does: 'edge'; readonly holds: (input: string, at: number) => boolean }
  | { readonly does: 'mark'; readonly slot: number }
  | { readonly does: 'reference'; readonly number: number }
  | { readonly does: 'look'; readonly program: readonly Instruction[]; readonly isNegative: boolean }
  | { readonly does: 'split'; first: number; second: number }
  | { readonly does: 'jump'; readonly to: number };

function compile(pattern: Pattern, program: Instruction[], isBack: boolean): Instruction[] {
  if (pattern.type === 'character') program.push({ does: 'character', matches: pattern.matches, isBack });
  else if (pattern.type === 'edge') program.push({ does: 'edge', holds: pattern.holds });
  else if (pattern.type === 'reference') program.push({ does: 'reference', number: pattern.number });
  else if (pattern.type === 'sequence') {
    for (const part of isBack ? pattern.parts.toReversed() : pattern.parts) compile(part, program, isBack);
  } else if (pattern.type === 'group') {
    const [before, after] = isBack ? [1, 0] : [0, 1];
    program.push({ does: 'mark', slot: pattern.number * 2 + before });
    compile(pattern.body, program, isBack);
    program.push({ does: 'mark', slot: pattern.number * 2 + after });
  } else if (pattern.type === 'look') {
    const { isNegative } = pattern;
    program.push({ does: 'look', program: compile(pattern.body, [], pattern.isBehind), isNegative });
  } else if (pattern.type === 'choice') compileChoice(pattern.options, program, isBack);
  else compileLoop(pattern, program, isBack);
  return program;
}

function compileChoice(options: readonly Pattern[], program: Instruction[], isBack: boolean): void {
  const [option, ...others] = options;
  if (option === undefined) return;
  if (others.length === 0) {
    compile(option, program, isBack);
    return;
  }
  const split = { does: 'split' as const, first: program.length + 1, second: 0 };
  program.push(split);
  compile(option, program, isBack);
  const jump = { does: 'jump' as const, to: 0 };
  program.push(jump);
  split.second = program.length;
  compileChoice(others, program, isBack);
  jump.to = program.length;
}

function compileLoop(loop: Pattern & { type: 'loop' }, program: Instruction[], isBack: boolean): void {
  const { body, least, most, isLazy } = loop;
  const branch = () => {
    const split = { does: 'split' as const, first: 0, second: 0 };
    program.push(split);
    const inside = program.length;
    return (outside: number) => {
      [split.first, split.second] = isLazy ? [outside, inside] : [inside, outside];
    };
  };
  for (let count = 0; count < least; count += 1) compile(body, program, isBack);
  if (most === Infinity) {
    if (isEmpty(body)) throw new Error('A loop over what may be empty is not understood.');
    const start = program.length;
    const leave = branch();
    compile(body, program, isBack);
    program.push({ does: 'jump', to: start });
    leave(program.length);
    return;
  }
  const leaves = Array.from({ length: most - least }, () => {
    const leave = branch();
    compile(body, program, isBack);
    return leave;
  });
  for (const leave of leaves) leave(program.length);
}

function isEmpty(pattern: Pattern): boolean {
  if (pattern.type === 'character') return false;
  if (pattern.type === 'sequence') return pattern.parts.every(isEmpty);
  if (pattern.type === 'choice') return pattern.options.some(isEmpty);
  if (pattern.type === 'loop') return pattern.least === 0 || isEmpty(pattern.body);
  if (pattern.type === 'group') return isEmpty(pattern.body);
  // What a lookahead before it matched is not empty in the one pattern that does this.
  return pattern.type !== 'reference';
}

interface State {
  readonly next: number;
  readonly at: number;
  readonly marks: readonly number[];
}

/** After so many a pattern is as good as endless. */
export const MOST_STEPS = 1_000_000;

/** Counts the steps of a backtracking matcher, which is what JavaScript's engines are, in place of the time that they take. */
export class StepCounter {
  readonly #program: readonly Instruction[];
  readonly #isSticky: boolean;
  #steps = 0;

  constructor(regex: RegExp) {
    this.#program = compile(parsePattern(regex), [], false);
    this.#isSticky = regex.sticky;
  }

  /** The steps of finding every match in a text, as `replaceAll` and `split` do, or the one at the beginning when it is sticky. */
  stepsIn(input: string): number {
    this.#steps = 0;
    for (let at = 0; at <= input.length;) {
      const end = this.#run(this.#program, input, { next: 0, at, marks: [] })?.at;
      if (this.#isSticky || this.#steps >= MOST_STEPS) break;
      at = end === undefined || end <= at ? at + 1 : end;
    }
    return Math.min(this.#steps, MOST_STEPS);
  }

  /** The matches in a text, for a comparison with the engine's own. */
  matchesIn(input: string): string[] {
    const found: string[] = [];
    for (let at = 0; at <= input.length;) {
      const end = this.#run(this.#program, input, { next: 0, at, marks: [] })?.at;
      if (end !== undefined) found.push(input.slice(at, end));
      at = end === undefined || end <= at ? at + 1 : end;
    }
    return found;
  }

  #run(program: readonly Instruction[], input: string, begin: State): State | undefined {
    const waiting: State[] = [begin];
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      let { next, at, marks } = state;
      for (;;) {
        if (this.#steps >= MOST_STEPS) return undefined;
        this.#steps += 1;
        const instruction = program[next];
        if (instruction === undefined) return { next, at, marks };
        if (instruction.does === 'jump') {
          next = instruction.to;
          continue;
        }
        if (instruction.does === 'split') {
          waiting.push({ next: instruction.second, at, marks });
          next = instruction.first;
          continue;
        }
        // Nearly every step is one of these, so that they make no object.
        if (instruction.does === 'character') {
          const { isBack } = instruction;
          const character = input[isBack ? at - 1 : at];
          if (character === undefined || !instruction.matches(character)) break;
          at += isBack ? -1 : 1;
          next += 1;
          continue;
        }
        const after = this.#after(instruction, input, { next, at, marks });
        if (after === undefined) break;
        ({ at, marks } = after);
        next += 1;
      }
    }
    return undefined;
  }

  #after(instruction: Instruction, input: string, state: State): State | undefined {
    const { at, marks } = state;
    if (instruction.does === 'edge') return instruction.holds(input, at) ? state : undefined;
    if (instruction.does === 'mark') {
      const marked = [...marks];
      marked[instruction.slot] = at;
      return { ...state, marks: marked };
    }
    if (instruction.does === 'reference') {
      const { number } = instruction;
      const text = input.slice(marks[number * 2] ?? 0, marks[number * 2 + 1] ?? 0);
      this.#steps += text.length;
      return input.startsWith(text, at) ? { ...state, at: at + text.length } : undefined;
    }
    if (instruction.does !== 'look') return state;
    const seen = this.#run(instruction.program, input, { next: 0, at, marks });
    if (instruction.isNegative) return seen === undefined ? state : undefined;
    return seen === undefined ? undefined : { ...state, marks: seen.marks };
  }
}

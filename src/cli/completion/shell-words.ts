/** The words of an unfinished command line, the last one being typed, and its open quote. */
export interface ShellWords {
  readonly words: readonly string[];
  /** `'`, `"`, or nothing. */
  readonly quote: string;
}

/** Splits a line at quotes and backslashes as a shell does, without any expansion. */
export function splitLine(line: string): ShellWords {
  const words: string[] = [];
  let word = '';
  let isBegun = false;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (quote === '' && /\s/.test(character)) {
      if (isBegun) words.push(word);
      word = '';
      isBegun = false;
      continue;
    }
    isBegun = true;
    if (character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === '\\' && quote !== "'") {
      at += 1;
      word += line[at] ?? '';
    } else word += character;
  }
  return { words: [...words, word], quote };
}

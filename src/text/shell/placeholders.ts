/** The values for `{code}` and `{id}` in a command or URL; an order without a charge has no id yet. */
export interface PlaceholderValues {
  readonly code: string;
  readonly id: string;
}

/** A command with its placeholders replaced, or the reason why that is impossible. */
export type Expanded = { readonly command: string } | { readonly problem: string };

export type Placeholder = '{code}' | '{id}';

const VARIABLES: Readonly<Record<Placeholder, string>> = { '{code}': 'SANDBOX_CODE', '{id}': 'SANDBOX_ID' };
const PLACEHOLDERS = ['{code}', '{id}'] as const;
/** Characters without meaning to cmd.exe, inside and outside of quotes. */
const SAFE_ON_WINDOWS = /^[\w.:@/+-]*$/;

/** The environment variables of a command with placeholders. */
export function placeholderVariables({ code, id }: PlaceholderValues): Record<string, string | undefined> {
  return { SANDBOX_CODE: code, SANDBOX_ID: id === '' ? undefined : id };
}

/** Whether a text is a URL to fetch, not a command. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Whether a URL contains one of these placeholders, or a command one of them or its variable. */
export function refersTo(text: string, placeholders: readonly Placeholder[]): boolean {
  return placeholders.some((one) => text.includes(one) || (!isUrl(text) && text.includes(VARIABLES[one])));
}

/** Fills the placeholders of a URL, percent-encoded. */
export function urlWithValues(url: string, values: PlaceholderValues): string {
  return replaced(url, values, encodeURIComponent);
}

/** Fills the placeholders of a command for cmd.exe, where nothing can be quoted reliably: accepts only values without special characters. */
export function commandForCmd(command: string, values: PlaceholderValues): Expanded {
  const unsafe = PLACEHOLDERS.find(
    (one) => command.includes(one) && !SAFE_ON_WINDOWS.test(valueOf(one, values)),
  );
  if (unsafe === undefined) return { command: replaced(command, values, (value) => value) };
  return {
    problem: `cmd.exe cannot quote this value of ${unsafe}; use the variable ${VARIABLES[unsafe]} in a script instead.`,
  };
}

function replaced(text: string, values: PlaceholderValues, form: (value: string) => string): string {
  return text.replaceAll(/\{(?:code|id)\}/g, (one) => form(valueOf(one as Placeholder, values)));
}

function valueOf(placeholder: Placeholder, { code, id }: PlaceholderValues): string {
  return placeholder === '{code}' ? code : id;
}

/**
 * Replaces the placeholders of a POSIX shell command by expansions of their variables, each written for the quotes around it. A value
 * is never part of the command's text, so the shell cannot run it, even if the quotes were misread.
 */
export function commandForShell(command: string): Expanded {
  return new ShellText(command).expand();
}

const TOKENS = {
  placeholder: /\{(?:code|id)\}/y,
  escape: /\\[^]?/y,
  /** Contains no quotes and no other expansion. */
  parameter: /\$\{[^{}'"`$\\]*\}/y,
  substitution: /\$\((?!\()/y,
  /** Heredocs, arithmetic, backquotes, ANSI-C strings and nested expansions: shells differ in how they read quotes there. */
  unsupported: /<<|\(\(|\$\(\(|\$\{|\$'|`/y,
  unsupportedQuoted: /\$\(\(|\$\{|`/y,
  comment: /(?<![^\s;&|()])#[^\n]*/y,
  redirection: /[<>]&|&>/y,
} as const;

const SHELL = /^(?:.*\/)?(?:(?:ba|da|a|k|z|fi)?sh|su)$/;
const SCRIPT_OPTION = /^-\w*c$/;
/** These run their arguments as a command. */
const REPARSING = /^(?:.*\/)?(?:eval|ssh|trap)$/;

/** A command, or the inside of a `$(…)`, where quotes begin again. */
interface Level {
  quotes: '' | "'" | '"';
  /** Open parentheses within this level. */
  depth: number;
  /** The finished words of the current simple command, without quotes, and the current one. */
  words: string[];
  word: string | undefined;
}

class ShellText {
  readonly #text: string;
  readonly #levels: Level[] = [];
  #level = newLevel();
  #at = 0;
  #expanded = '';

  constructor(text: string) {
    this.#text = text;
  }

  expand(): Expanded {
    while (this.#at < this.#text.length) {
      const placeholder = this.#next('placeholder') as Placeholder | undefined;
      if (placeholder !== undefined) {
        if (isReparsed(this.#level)) return { problem: reparsedProblem(placeholder) };
        this.#copy(placeholder, this.#expansionOf(placeholder));
      } else if (this.#isUnsupported()) {
        const hidden = PLACEHOLDERS.find((one) => this.#text.includes(one, this.#at));
        if (hidden !== undefined) return { problem: unsupportedProblem(hidden) };
        this.#copy(this.#text.slice(this.#at));
      } else {
        this.#step();
      }
    }
    return { command: this.#expanded };
  }

  #expansionOf(placeholder: Placeholder): string {
    const variable = `\${${VARIABLES[placeholder]}}`;
    if (this.#level.quotes === '"') return variable;
    return this.#level.quotes === "'" ? `'"${variable}"'` : `"${variable}"`;
  }

  #isUnsupported(): boolean {
    const { quotes } = this.#level;
    if (quotes === "'" || this.#next('parameter') !== undefined) return false;
    const escaped = this.#next('escape');
    // A backslash before a placeholder would escape its expansion.
    if (escaped?.endsWith('{') === true) return /^\\\{(?:code|id)\}/.test(this.#text.slice(this.#at));
    return this.#next(quotes === '' ? 'unsupported' : 'unsupportedQuoted') !== undefined;
  }

  /** Copies the next token. */
  #step(): void {
    const level = this.#level;
    const character = this.#text.charAt(this.#at);
    if (level.quotes === "'") return this.#inQuotes(character);
    const whole = this.#next('escape') ?? this.#next('parameter');
    if (whole !== undefined) return this.#copy(whole);
    if (this.#next('substitution') !== undefined) {
      this.#copy('$(');
      this.#levels.push(level);
      this.#level = newLevel();
      return;
    }
    if (level.quotes === '"') return this.#inQuotes(character);
    this.#outside(character);
  }

  #inQuotes(character: string): void {
    if (character !== this.#level.quotes) return this.#copy(character);
    this.#level.quotes = '';
    this.#skip(character);
  }

  #outside(character: string): void {
    const level = this.#level;
    const comment = this.#next('comment');
    if (comment !== undefined) return this.#skip(comment);
    const redirection = this.#next('redirection');
    if (redirection !== undefined) return this.#copy(redirection);
    if (character === "'" || character === '"') {
      level.quotes = character;
      level.word ??= '';
    } else if (character === ')') {
      this.#close();
    } else if (/[\n;&|(]/.test(character)) {
      if (character === '(') level.depth += 1;
      Object.assign(level, { words: [], word: undefined });
    } else if (/\s/.test(character)) {
      if (level.word !== undefined) level.words.push(level.word);
      level.word = undefined;
    } else {
      return this.#copy(character);
    }
    this.#skip(character);
  }

  /** The end of a subshell, of a `$(…)`, or of a pattern in `case`. */
  #close(): void {
    const level = this.#level;
    const outer = level.depth === 0 ? this.#levels.pop() : undefined;
    if (outer !== undefined) this.#level = outer;
    else Object.assign(level, { depth: Math.max(level.depth - 1, 0), words: [], word: undefined });
  }

  /** Copies a part of the current word. */
  #copy(token: string, written = token): void {
    this.#level.word = (this.#level.word ?? '') + token;
    this.#skip(token, written);
  }

  #skip(token: string, written = token): void {
    this.#at += token.length;
    this.#expanded += written;
  }

  #next(kind: keyof typeof TOKENS): string | undefined {
    const pattern = TOKENS[kind];
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }
}

function newLevel(): Level {
  return { quotes: '', depth: 0, words: [], word: undefined };
}

/** Whether the current word is a script that another shell will parse, quotes or not. */
function isReparsed({ words }: Level): boolean {
  if (words.some((word) => REPARSING.test(word))) return true;
  const last = words.findLast((word) => word !== '--');
  return SCRIPT_OPTION.test(last ?? '') && words.some((word) => SHELL.test(word));
}

function reparsedProblem(placeholder: Placeholder): string {
  return `${placeholder} is part of a script for another shell; use the variable ${VARIABLES[placeholder]} there.`;
}

function unsupportedProblem(placeholder: Placeholder): string {
  return `The quotes around ${placeholder} cannot be determined; use the variable ${VARIABLES[placeholder]} instead.`;
}

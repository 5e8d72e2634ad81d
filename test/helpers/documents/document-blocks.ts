/** A command of a transcript, and the lines that the document shows below it. */
export interface Step {
  /** As a shell takes it. */
  readonly command: string;
  /** As the document writes it, with `$ ` and every line that a backslash joins. */
  readonly written: readonly string[];
  readonly shown: readonly string[];
}

/** A piece of code in a document. Line numbers begin at 1. */
export interface Block {
  /** What the fence says, such as `console`; `sh` for indented commands. */
  readonly tag: string;
  /** Its last command keeps running: in the document it has a terminal of its own. */
  readonly isRunning: boolean;
  /** The name that a fence of code gives itself after its tag: the reader saves it under that name. */
  readonly file: string | undefined;
  /** A comment of the Markdown, which readers do not see. */
  readonly isHidden: boolean;
  /** Of its first line of content. */
  readonly line: number;
  readonly content: readonly string[];
}

const FENCE = /^(`{3,})(.*)$/;
const HIDDEN = /^<!-- (console.*)$/;
/** Programs whose commands documents show; an indented line that begins with one is a command. */
const INDENTED_COMMAND =
  /^ {4}(?:\$ )?(?:[A-Z_]+=\S* )*(?:npx|npm|node|sandbox|pix-sandbox|git|curl|python3|go|ruby|java|eval|tail|PORT=)\b/;

/** The code of a document, in order: fences, hidden transcripts, and commands that are indented. */
export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, fence, info] = FENCE.exec(line) ?? [];
    const hidden = HIDDEN.exec(line)?.[1];
    const end = hidden === undefined ? fence : '-->';
    if (end === undefined) {
      if (INDENTED_COMMAND.test(line)) blocks.push(block('sh', at + 1, [line.slice(4)]));
      continue;
    }
    const last = lines.indexOf(end, at + 1);
    if (last < 0) throw new Error(`Line ${at + 1}: expected ${end} below it.`);
    blocks.push(block(hidden ?? info ?? '', at + 2, lines.slice(at + 1, last), hidden !== undefined));
    at = last;
  }
  return blocks;
}

function block(info: string, line: number, content: readonly string[], isHidden = false): Block {
  const [tag = '', ...words] = info.trim().split(/\s+/);
  const file = words.find((word) => word.includes('.'));
  return { tag, isRunning: words.includes('running'), file, isHidden, line, content };
}

/** What the document says without its code. */
export function proseOf(markdown: string): string {
  const lines = markdown.split('\n');
  for (const { line, content } of blocksOf(markdown)) lines.fill('', line - 1, line - 1 + content.length);
  return lines.filter((line) => !FENCE.test(line)).join('\n');
}

/** The commands of a transcript. Throws where it does not begin with one. */
export function stepsOf({ content, line }: Block): Step[] {
  const steps: { written: string[]; shown: string[] }[] = [];
  for (const text of content) {
    const last = steps.at(-1);
    if (text.startsWith('$ ')) steps.push({ written: [text], shown: [] });
    else if (last === undefined) throw new Error(`Line ${line}: expected a command after "$ "; got ${text}`);
    else if (last.shown.length === 0 && last.written.at(-1)?.endsWith('\\')) last.written.push(text);
    else last.shown.push(text);
  }
  return steps.map(({ written, shown }) => ({
    command: written.join('\n').slice(2),
    written,
    shown: withoutBlankEnd(shown),
  }));
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** The document with other content in some of its blocks. */
export function withContents(markdown: string, contents: ReadonlyMap<Block, readonly string[]>): string {
  const lines = markdown.split('\n');
  const lastFirst = [...contents].sort(([a], [b]) => b.line - a.line);
  for (const [{ line, content }, changed] of lastFirst) lines.splice(line - 1, content.length, ...changed);
  return lines.join('\n');
}

/**
 * What stands in a document for what differs from run to run:
 * `…` is any text on its line, and alone on a line any number of lines; `12 ms` is any number of milliseconds;
 * a line that begins with a time of day (`12:00:00 `) may begin with any other.
 */
const ELLIPSIS = '…';
const VARYING = /^\d\d:\d\d:\d\d(?= )|\s*\b\d+ ms\b|…/gu;

/** Whether the lines came as they are shown. */
export function isAsShown(shown: readonly string[], came: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return came.length === 0;
  if (first.trim() === ELLIPSIS) {
    return came.some((_, index) => isAsShown(rest, came.slice(index))) || isAsShown(rest, []);
  }
  const [line, ...later] = came;
  return line !== undefined && pattern(first).test(line.trimEnd()) && isAsShown(rest, later);
}

function pattern(shown: string): RegExp {
  const text = shown.trimEnd();
  let source = '';
  let from = 0;
  for (const match of text.matchAll(VARYING)) {
    source += escaped(text.slice(from, match.index)) + standIn(match[0]);
    from = match.index + match[0].length;
  }
  return new RegExp(`^${source}${escaped(text.slice(from))}$`, 'u');
}

function standIn(varying: string): string {
  if (varying === ELLIPSIS) return '.*';
  return varying.endsWith('ms') ? '\\s*\\b\\d+ ms\\b' : '\\d\\d:\\d\\d:\\d\\d';
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** What the document should show: what it shows if that is so, else what came, as far down as it shows it. */
export function corrected(shown: readonly string[], came: readonly string[]): readonly string[] {
  if (isAsShown(shown, came)) return shown;
  const count = shown.length - 1;
  const isCut = shown.at(-1)?.trim() === ELLIPSIS && came.length > count;
  return isCut ? [...came.slice(0, Math.max(count, 1)), ELLIPSIS] : came;
}

const NARROW = /^[\x20-\x7e]*$/;
/** What terminals show across two columns: the scripts of East Asia, their full-width forms, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
/** What stands on the character before it. */
const MARK = /[\p{Mn}\p{Me}]/u;

/** How many columns of a terminal a text takes that holds no control characters. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of a text that takes at most so many columns. */
export function cut(text: string, columns: number): string {
  let left = columns;
  let kept = '';
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) break;
    kept += character;
  }
  return kept;
}

function columnsOf(character: string): number {
  if (WIDE.test(character)) return 2;
  return MARK.test(character) ? 0 : 1;
}

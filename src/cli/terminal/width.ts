const NARROW = /^[\x20-\x7e]*$/;
/** Characters two columns wide: East Asian scripts, full-width forms, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
/** Combining characters, which take no column. */
const MARK = /[\p{Mn}\p{Me}]/u;

/** The columns that a text without control characters takes on a terminal. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of a text that fits into a width in columns. */
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

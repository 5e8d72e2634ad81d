/**
 * Control characters, format characters (which change the text direction, join or hide), other line breaks,
 * lone surrogates, and unusual blanks.
 */
export const CONTROL_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u{e0100}-\u{e01ef}]/gu;

/**
 * Makes foreign text safe for a terminal: escape sequences, control characters, and characters that hide text
 * or change its direction are shown as their codes. Line breaks and tabs are kept.
 */
export function escapeControlCharacters(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(CONTROL_CHARACTERS, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
  });
}

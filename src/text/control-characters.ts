/**
 * Matches control characters, format characters (which reorder, join or hide text), other line breaks, lone
 * surrogates and unusual spaces.
 */
export const CONTROL_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u{e0100}-\u{e01ef}]/gu;

/**
 * Makes untrusted text safe for a terminal. Replaces escape sequences, control characters, and characters
 * that hide or reorder text with their codes. Preserves line breaks and tabs.
 */
export function escapeControlCharacters(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(CONTROL_CHARACTERS, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
  });
}

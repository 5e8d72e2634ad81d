import { measureWidth } from '../../../src/cli/terminal/text.js';

/** Begins what is forged: whoever reads it at the beginning of a line takes it for ours. */
export const FORGED = 'FORGED';

const ESC = '\u001b';
const BEL = '\u0007';

/** Texts that would clear, move, hide, recolour, retitle or answer, if a terminal took them at their word. */
export const ATTACKS: readonly string[] = [
  `${ESC}[2J${ESC}[1;1H${FORGED} Ready.`,
  `${ESC}]0;${FORGED}${BEL}${ESC}]52;c;Zm9yZ2Vk${BEL}`,
  `${ESC}]8;;https://evil.example${ESC}\\click${ESC}]8;;${ESC}\\`,
  `${ESC}[1A${ESC}[2K${ESC}[8m${ESC}[?25l${ESC}[6n${ESC}P$qm${ESC}\\${ESC}c`,
  `\u009b2J\u009d0;${FORGED}\u009c\u0090\u0085${FORGED}`,
  `\r${FORGED}\u0008\u0008\u000b${FORGED}\u000c${FORGED}\u007f\u0000`,
  `\n${FORGED} error nothing holds\r\n${FORGED}`,
  `\u202e${FORGED}\u202c\u2066\u2069\u200f\u061c`,
  `\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\u2800\u{e0041}`,
  `\u2028${FORGED}\u2029${FORGED}`,
  `${'\t'.repeat(12)}${FORGED}`,
  `${'水'.repeat(45)}${FORGED} ${'水'.repeat(45)}`,
  `${'x '.repeat(45)}${FORGED}`.repeat(3),
  `\ud800${FORGED}\udfff`,
];

/** All of them, and as the bytes of headers and reason phrases can carry them. */
export const ATTACK = ATTACKS.join(' ');
export const LATIN_ATTACK = `\u009b2J\u009d0;${FORGED}\u009c \u0085${FORGED} \u00ad ${'x '.repeat(45)}${FORGED}`;

const OURS = new RegExp(`${ESC}\\[\\d+m`, 'g');
/** Into a pipe, tabs may go: they are a matter of columns. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u2800\u3164]/u;
/** What is wrong with a text on a terminal of so many columns; 0 is a pipe, which has no width. `most` is more than it has to say. */
export function problemsOnScreen(text: string, columns: number, most = 100_000): string[] {
  const plain = text.replaceAll(OURS, '');
  const screen = plain.split('\n').flatMap((line) => rowsOf(line, columns));
  const unprintable = UNPRINTABLE.exec(columns === 0 ? plain.replaceAll('\t', ' ') : plain);
  return [
    ...(unprintable === null ? [] : [`unprintable: ${JSON.stringify(around(plain, unprintable.index))}`]),
    ...screen.filter((row) => row.startsWith(FORGED)).map((row) => `forged: ${row}`),
    ...(plain.length > most ? [`${plain.length} characters`] : []),
  ];
}

function around(text: string, index: number): string {
  return text.slice(Math.max(index - 40, 0), index + 40);
}

/** The rows of a terminal that a line takes. */
function rowsOf(line: string, columns: number): string[] {
  if (columns === 0 || measureWidth(line) <= columns) return [line];
  const rows = [''];
  for (const character of line) {
    const row = rows.at(-1) ?? '';
    if (measureWidth(row + character) > columns) rows.push(character);
    else rows[rows.length - 1] = row + character;
  }
  return rows;
}

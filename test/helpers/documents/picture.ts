/** The codes of a terminal's colors and weights, and how a picture draws them. */
const STYLES: Readonly<Record<number, string>> = {
  1: 'font-weight="bold"',
  2: 'fill="#8b949e"',
  31: 'fill="#ff7b72"',
  32: 'fill="#7ee787"',
  33: 'fill="#e3b341"',
  36: 'fill="#79c0ff"',
};
/** The codes that end others. */
const ENDS: Readonly<Record<number, readonly number[]>> = {
  0: Object.keys(STYLES).map(Number),
  22: [1, 2],
  39: [31, 32, 33, 36],
};
const CHARACTER_WIDTH = 7.83;
const LINE_HEIGHT = 19;
const FONT_SIZE = 13;
const MARGIN = 16;
const BAR = 34;

/** What a terminal shows, with its colors, as an SVG; throws on an escape sequence that it cannot draw. */
export function svgOf(output: string, columns: number): string {
  const lines = output.trimEnd().split(/\r?\n/);
  const active = new Set<number>();
  const texts = lines.map((line, index) => {
    const y = BAR + MARGIN + index * LINE_HEIGHT;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${drawn(line, active)}</text>`;
  });
  const width = Math.ceil(columns * CHARACTER_WIDTH) + 2 * MARGIN;
  const height = BAR + lines.length * LINE_HEIGHT + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    `  font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}" fill="#e6edf3">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (colors, index) => `<circle cx="${MARGIN + 6 + index * 20}" cy="18" r="6" fill="${colors}"/>`,
    ),
    ...texts,
    '</svg>\n',
  ].join('\n');
}

/** A line as spans; what is switched on at its end stays on for the next. */
function drawn(line: string, active: Set<number>): string {
  const [first = '', ...parts] = line.split('\u001b[');
  const spans = parts.map((part) => {
    const [, codes, text = ''] = /^([\d;]*)m(.*)$/.exec(part) ?? [];
    if (codes === undefined) throw new Error(`Expected colors alone; got ${JSON.stringify(part)}`);
    for (const code of codes.split(';').map(Number)) apply(code, active);
    return span(text, active);
  });
  return span(first, active) + spans.join('');
}

function apply(code: number, active: Set<number>): void {
  if (STYLES[code] === undefined && ENDS[code] === undefined) throw new Error(`There is no style ${code}.`);
  for (const ended of ENDS[code] ?? []) active.delete(ended);
  if (STYLES[code] !== undefined) active.add(code);
}

function span(text: string, active: ReadonlySet<number>): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  if (text === '' || active.size === 0) return escaped;
  return `<tspan ${[...active].map((code) => STYLES[code]).join(' ')}>${escaped}</tspan>`;
}

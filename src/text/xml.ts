const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Escapes text for XML and HTML; characters that XML 1.0 does not allow are left out. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u007f-\u009f]/gu, '')
    .replaceAll(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? character);
}

/** Attributes as they stand in a tag, each after a space. */
export function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

/** Milliseconds as JUnit has them. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

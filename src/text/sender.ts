/** The header of a control request that says who sends it, for the timeline: `console`, or `scenario` and its name. */
export const SENDER_HEADER = 'x-sandbox-sender';

/** The header's value for a scenario: what a header cannot hold is percent-encoded, and so is a space at its end. */
export function scenarioSender(name: string): string {
  const whole = name.replaceAll(/\p{Cs}/gu, '\u{fffd}');
  return `scenario ${whole.replaceAll(/[^ -$&-~]| $/gu, (character) => encodeURIComponent(character))}`;
}

/** Who the header names, and for a scenario its name up to a length; undefined for anybody else. */
export function readSender(
  value: string,
  mostLength: number,
): { readonly by: 'console' } | { readonly by: 'scenario'; readonly scenario: string } | undefined {
  const [by, ...words] = value.split(' ');
  if (by === 'console') return { by };
  if (by !== 'scenario') return undefined;
  const scenario = decoded(words.join(' '))
    .slice(0, mostLength)
    .replace(/\p{Cs}$/u, '');
  return { by, scenario };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A string that does not end reaches to the end, so that no text takes long. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[^\s"{}[\]:,]+|[{}[\]:,]/g;

/** Where the value of a member of a JSON object stands, from and to. */
type Range = readonly [from: number, to: number];

/**
 * The text of a JSON object with another value for a member, and every other character as it was. Of a repeated member the last
 * counts. Undefined for what is no object, or has no such member.
 */
export function withMember(json: string, name: string, value: unknown): string | undefined {
  const range = isJson(json) ? rangeOf(json, name) : undefined;
  if (range === undefined) return undefined;
  return json.slice(0, range[0]) + JSON.stringify(value) + json.slice(range[1]);
}

function rangeOf(json: string, name: string): Range | undefined {
  let depth = 0;
  let key: string | undefined;
  let isKey = false;
  let from: number | undefined;
  let end = 0;
  let found: Range | undefined;
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (depth === 0 && token !== '{') return undefined;
    if (depth === 1 && (token === ',' || token === '}')) {
      if (key === name && from !== undefined) found = [from, end];
      from = undefined;
    } else if (depth === 1 && isKey) {
      key = JSON.parse(token) as string;
    } else if (depth === 1 && token !== ':') {
      from ??= index;
    }
    isKey = token === ',' || (depth === 0 && token === '{');
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    end = index + token.length;
    if (depth === 0) break;
  }
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What stands for what is not shown. */
const HIDDEN = '…';
/** What is longer may be a token. */
const LONGEST_PLAIN = 12;
/** Parameters whose values are credentials, however short. */
const SECRET_PARAMETER = /token|secret|passw|pwd|key|auth|sig|session|credential/i;
const NONE: ReadonlySet<string> = new Set();

/**
 * A URL, the target of a request, or a text that ends in one, as it may be shown: without user and password, and without what may
 * be a token in its query, but for the parameters that are named, and in its fragment.
 */
export function withoutUrlSecrets(text: string, shown: ReadonlySet<string> = NONE): string {
  return text
    .replace(/^([a-z*.,]+=)?[^/?#\s@:]*:[^/?#\s]*@/, `$1${HIDDEN}@`)
    .replaceAll(/\/\/[^/?#\s]*@/g, `//${HIDDEN}@`)
    .replaceAll(/([?&])([^=&#\s]*)(?:=([^&#\s]*))?/g, (whole, mark: string, name: string, value?: string) => {
      if (value === undefined) return name.length > LONGEST_PLAIN ? mark + HIDDEN : whole;
      const isPlain = value.length <= LONGEST_PLAIN && !SECRET_PARAMETER.test(name);
      const isShort = isPlain || value.endsWith(HIDDEN);
      return isShort || shown.has(name) ? whole : `${mark}${name}=${HIDDEN}`;
    })
    .replace(/#\S+/, `#${HIDDEN}`);
}

const SECRET_HEADER = /authorization|cookie|token|secret|password|api-?key/i;
const URL_HEADER = /^(?:content-)?location$/i;

/** Headers as they may be shown: those that hold credentials by their names without their values, URLs without what is secret in them. */
export function withoutHeaderSecrets(
  headers: readonly (readonly [name: string, value: string])[],
): [name: string, value: string][] {
  return headers.map(([name, value]) => {
    if (SECRET_HEADER.test(name)) return [name, HIDDEN];
    return [name, URL_HEADER.test(name) ? withoutUrlSecrets(value) : value];
  });
}

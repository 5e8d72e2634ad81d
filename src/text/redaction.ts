/** The replacement for hidden text. */
const HIDDEN = '…';
/** A longer value may be a token. */
const LONGEST_PLAIN = 12;
/** Parameters whose values are always credentials, even short ones. */
const SECRET_PARAMETER = /token|secret|passw|pwd|key|auth|sig|session|credential/i;
const NONE: ReadonlySet<string> = new Set();

/**
 * A URL, the target of a request, or a text that ends in one, safe to show: without user and password, and without possible tokens
 * in its fragment and in its query, except in the named parameters.
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

/** Headers that are safe to show: without the values of credential headers, and without secrets in URLs. */
export function withoutHeaderSecrets(
  headers: readonly (readonly [name: string, value: string])[],
): [name: string, value: string][] {
  return headers.map(([name, value]) => {
    if (SECRET_HEADER.test(name)) return [name, HIDDEN];
    return [name, URL_HEADER.test(name) ? withoutUrlSecrets(value) : value];
  });
}

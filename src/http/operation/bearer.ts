/** The token of an Authorization header with the scheme Bearer (§5.1); undefined when there is none. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
}

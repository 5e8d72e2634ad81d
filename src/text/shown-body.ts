/** A body in JSON: as text where it is UTF-8, else in base64. */
export type ShownBody =
  | { readonly body: string; readonly body_base64?: undefined }
  | { readonly body?: undefined; readonly body_base64: string };

/** The bytes of a body for JSON. A cut body may end within a character, which is then left out. */
export function shownBody(bytes: Uint8Array, isCut = false): ShownBody {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { body: decoder.decode(bytes, { stream: isCut }) };
  } catch {
    return { body_base64: Buffer.from(bytes).toString('base64') };
  }
}

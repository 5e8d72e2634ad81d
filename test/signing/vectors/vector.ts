/** Who errs about a vector: libraries that decide otherwise than the contract. */
export type VectorClass = 'agreed' | 'library_wrongly_accepts' | 'library_wrongly_refuses';

/** A body as text where it is plain UTF-8 text, in base64 where it is not. */
export type VectorBody = { readonly body: string } | { readonly body_base64: string };

interface VectorBase {
  readonly name: string;
  readonly now_s: number;
  readonly tolerance_s: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly verdict: 'accept' | 'refuse';
  readonly cause: string | null;
  /** The finding that names what was done wrong, where the message was made with one mistake. */
  readonly mistake?: string;
}

export type WebhookVector = VectorBase &
  VectorBody & {
    readonly secrets: readonly string[];
    readonly secret_index?: number;
    readonly signature_index?: number;
    readonly class: VectorClass;
    readonly errs?: readonly string[];
  };

export type RequestVector = VectorBase &
  VectorBody & {
    readonly secret: string;
    readonly method: string;
    readonly target: string;
    readonly scheme: {
      readonly signature_encoding: string;
      readonly digest_encoding: string;
      readonly path_form: string;
    };
    readonly canonical?: string;
  };

/** The body field of a vector. */
export function bodyField(bytes: Buffer): VectorBody {
  const text = bytes.toString();
  const plain = Buffer.from(text).equals(bytes) && /^[\P{C}\n\r\t]*$/u.test(text);
  return plain ? { body: text } : { body_base64: bytes.toString('base64') };
}

/** The bytes of a vector's body. */
export function bodyBytes(vector: VectorBody): Buffer {
  return 'body' in vector ? Buffer.from(vector.body) : Buffer.from(vector.body_base64, 'base64');
}

/** A file of vectors as it is committed. */
export function fileText(vectors: readonly object[]): string {
  return `${JSON.stringify({ format: 1, vectors }, null, 2)}\n`;
}

/** Signing details that §5.2 leaves open. */
interface AssumedScheme {
  readonly signatureEncoding: 'hex' | 'base64';
  readonly digestEncoding: 'hex' | 'base64';
  readonly pathForm: 'path' | 'target';
}

/** Resolves the signing scheme of a sandbox from its assumptions. */
export function resolveScheme(valueOf: (assumption: string) => string | undefined): AssumedScheme {
  return {
    signatureEncoding: valueOf('signature.encoding') === 'base64' ? 'base64' : 'hex',
    digestEncoding: valueOf('signature.digest_encoding') === 'base64' ? 'base64' : 'hex',
    pathForm: valueOf('signature.path') === 'target' ? 'target' : 'path',
  };
}

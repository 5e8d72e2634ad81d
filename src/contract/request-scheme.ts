/** How requests are signed where §5.2 leaves it open. */
interface AssumedScheme {
  readonly signatureEncoding: 'hex' | 'base64';
  readonly digestEncoding: 'hex' | 'base64';
  readonly pathForm: 'path' | 'target';
}

/** How a sandbox has requests signed, by its assumptions. */
export function assumedScheme(valueOf: (assumption: string) => string | undefined): AssumedScheme {
  return {
    signatureEncoding: valueOf('signature.encoding') === 'base64' ? 'base64' : 'hex',
    digestEncoding: valueOf('signature.digest_encoding') === 'base64' ? 'base64' : 'hex',
    pathForm: valueOf('signature.path') === 'target' ? 'target' : 'path',
  };
}

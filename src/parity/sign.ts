import { canonicalParts, type Encoding } from '../signing/request.js';
import { computeHmacSha256 } from '../signing/message.js';

/** Choices of a request signature (§5.2). `emptyDigest` is `none` if an empty body has no digest. */
export interface ProbeScheme {
  readonly signature: Encoding;
  readonly digest: Encoding;
  readonly emptyDigest: 'digest' | 'none';
  readonly path: 'path' | 'target';
}

interface ProbeToSign {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly timestampS: number;
  readonly nonce: string;
  readonly secret: string;
  readonly scheme: ProbeScheme;
}

/** Returns the signature headers of a request, also for schemes that the sandbox does not support. */
export function signProbe({ secret, timestampS, scheme, ...request }: ProbeToSign): Record<string, string> {
  const timestamp = String(Math.max(timestampS, 0));
  const options = { digestEncoding: scheme.digest, pathForm: scheme.path };
  const { nonce, method, path, digest } = canonicalParts({ ...request, timestamp }, options);
  const isEmpty = request.body === '' && scheme.emptyDigest === 'none';
  const signed = [timestamp, nonce, method, path, isEmpty ? '' : digest].join('.');
  const signature = computeHmacSha256(secret, signed).toString(scheme.signature);
  return { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature };
}

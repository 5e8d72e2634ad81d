import { CopyButton } from '../frame/copy-button.js';
import { Ending } from '../live/live-row.js';
import type { Console } from '../model/console.js';
import type { Signed } from './signed.js';

interface OfSigned {
  readonly model: Console;
  readonly signed: Signed;
}

/** With which secret an attempt was signed, or which fault broke its signature. */
export function SignedBy({ model, signed }: OfSigned) {
  const { by } = signed;
  const isBad = by === 'wrong-signature' || by === 'stale-timestamp';
  return <Ending outcome={{ text: model.words.detail.signed[by], tone: isBad ? 'bad' : 'good' }} />;
}

/** What was signed, to be compared with what a receiver signs. */
export function SignedContent({ model, signed }: OfSigned) {
  const { signedContent } = model.words.detail;
  return (
    <details>
      <summary>{signedContent}</summary>
      <pre tabIndex={0} aria-label={signedContent}>
        {signed.content}
      </pre>
      <CopyButton model={model} text={signed.content} />
    </details>
  );
}

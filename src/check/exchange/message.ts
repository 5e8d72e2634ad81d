import { hmacSha256 } from '../../signing/bytes.js';
import { webhookKey } from '../../signing/webhook-secret.js';

/** An event to announce: its `webhook-id`, and its body as it goes over the wire. */
export interface EventToSend {
  readonly id: string;
  readonly type: string;
  readonly body: Uint8Array;
}

/** A request to a receiver. */
export interface Message {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Sent in chunks, without a length. */
  readonly isChunked?: boolean;
  /** The byte of the body at which it is split into two writes, with a pause between them. */
  readonly splitAt?: number;
  /** Milliseconds after the last byte at which the connection ends, unless the answer comes first. */
  readonly cutAfterMs?: number;
}

/** What is signed; a timestamp may be any text. */
export interface ToSign {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
  readonly secret: string;
}

/** The base64 of a v1 signature (§5.5). */
export function signatureOf({ id, timestamp, body, secret }: ToSign): string {
  return hmacSha256(webhookKey(secret), `${id}.${timestamp}.`, body).toString('base64');
}

/** The parts of a signed webhook; an undefined header is left out. */
export interface Parts {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: Uint8Array;
}

/** The parts of an event, rightly signed at a time in Unix seconds. */
export function rightParts({ id, body }: EventToSend, secret: string, nowS: number): Parts & ToSign {
  const timestamp = String(nowS);
  const signed = { id, timestamp, body, secret };
  return { ...signed, signature: `v1,${signatureOf(signed)}` };
}

/** The request of a webhook with these parts (§6). */
export function messageOf({ id, timestamp, signature, body }: Parts, more: Partial<Message> = {}): Message {
  const parts = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  const present = Object.entries(parts).filter((part): part is [string, string] => part[1] !== undefined);
  return {
    method: 'POST',
    body,
    ...more,
    headers: {
      'user-agent': `PixSandbox-Webhooks/${__VERSION__}`,
      'content-type': 'application/json',
      ...Object.fromEntries(present),
      ...more.headers,
    },
  };
}

import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../contract/limits.js';
import { shortenSessionIdsOf } from '../core/identity/session.js';
import { shortenedCredential, withoutFieldSecrets, withoutHeaderSecrets } from '../text/redaction.js';
import type { ShownBody } from '../text/shown-body.js';
import { shownBody } from '../text/shown-body.js';

type Headers = readonly (readonly [name: string, value: string])[];

/** A request or an answer as it came or went: `bytes` is the length of its whole body, of which a Buffer may be the beginning. */
export interface Message {
  readonly headers: Headers;
  readonly body: Buffer | string;
  readonly bytes: number;
}

/** A request and its answer; null when no answer was sent. */
export interface Exchange {
  readonly request: Message;
  readonly response: Message | null;
  /** Real time from the request to its answer. */
  readonly durationMs: number;
}

/** A message as it is kept: shown without secrets, and with a body of limited length. */
export interface KeptMessage {
  readonly headers: Headers;
  readonly body: ShownBody;
  readonly bytes: number;
  readonly truncated: boolean;
  /** Whether secrets in the body are hidden. */
  readonly redacted: boolean;
}

export interface KeptExchange {
  readonly request: KeptMessage;
  readonly response: KeptMessage | null;
  readonly durationMs: number;
}

type Hide = (text: string) => string;

/** A secret that begins in the kept part of a body must be seen whole, to be hidden. */
const BEYOND_CUT = 1_024;
const MOST_BYTES = LIMITS.callBodyBytes;
/** `…` as its bytes read one by one. */
const HIDDEN_BYTES = Buffer.from('…').toString('latin1');

/** `hide` removes the secrets known at the first reading from a text; credentials in headers and fields named as secrets are shortened. */
export function keptExchange({ request, response, durationMs }: Exchange, hide: Hide): KeptExchange {
  return {
    request: keptMessage(request, hide, hideInRequest),
    response: response && keptMessage(response, hide, hideInAnswer),
    durationMs,
  };
}

function hideInRequest(text: string, hide: Hide): string {
  return withoutFieldSecrets(hideInAnswer(text, hide));
}

function hideInAnswer(text: string, hide: Hide): string {
  return shortenSessionIdsOf(hide(text));
}

/** The bytes of its bodies that an exchange keeps. */
export function sizeOf({ request, response }: KeptExchange): number {
  return Math.min(request.bytes, MOST_BYTES) + Math.min(response?.bytes ?? 0, MOST_BYTES);
}

export function withoutBodies({ request, response, durationMs }: KeptExchange): KeptExchange {
  const bare = ({ headers, bytes, redacted }: KeptMessage) => ({
    headers,
    body: { body: '' },
    bytes,
    truncated: bytes > 0,
    redacted,
  });
  return { request: bare(request), response: response && bare(response), durationMs };
}

type HideIn = (text: string, hide: Hide) => string;

/** The end of a long body must not stay in memory, so only a short one can wait. */
function keptMessage(message: Message, hide: Hide, hideIn: HideIn): KeptMessage {
  const { body, bytes } = message;
  const length = typeof body === 'string' ? bytes : body.length;
  return length > MOST_BYTES ? readMessage(message, hide, hideIn) : new UnreadMessage(message, hide, hideIn);
}

/** A message whose secrets are hidden when it is first read, because that takes longer than most calls. */
class UnreadMessage implements KeptMessage {
  readonly bytes: number;
  readonly #read: () => KeptMessage;
  #kept: KeptMessage | undefined;

  constructor(message: Message, hide: Hide, hideIn: HideIn) {
    this.bytes = message.bytes;
    this.#read = () => readMessage(message, hide, hideIn);
  }

  get headers(): Headers {
    return this.#message.headers;
  }

  get body(): ShownBody {
    return this.#message.body;
  }

  get truncated(): boolean {
    return this.#message.truncated;
  }

  get redacted(): boolean {
    return this.#message.redacted;
  }

  get #message(): KeptMessage {
    return (this.#kept ??= this.#read());
  }
}

function readMessage({ headers, body, bytes }: Message, hide: Hide, hideIn: HideIn): KeptMessage {
  const kept = keptBody(body, bytes, (text) => hideIn(text, hide));
  return {
    headers: keptHeaders(headers, hide),
    ...kept,
    bytes,
    truncated: kept.truncated || (typeof body !== 'string' && bytes > body.length),
  };
}

function keptHeaders(headers: Headers, hide: Hide): Headers {
  const shown = withoutHeaderSecrets(headers, shortenedCredential);
  let text = '';
  for (const [name, value] of shown) text += `${name}\n${value}\n`;
  return hide(text) === text ? shown : shown.map(([name, value]) => [hide(name), hide(value)]);
}

function keptBody(
  whole: Buffer | string,
  length: number,
  hide: Hide,
): Pick<KeptMessage, 'body' | 'truncated' | 'redacted'> {
  if (typeof whole === 'string' && length <= MOST_BYTES) {
    const hidden = hide(whole);
    return { body: { body: hidden }, truncated: false, redacted: hidden !== whole };
  }
  const bytes = Buffer.from(whole as string);
  const truncated = bytes.length > MOST_BYTES;
  const seen = truncated ? bytes.subarray(0, MOST_BYTES + BEYOND_CUT) : bytes;
  const { body } = truncated ? shownBody(seen, true) : textOf(seen);
  if (body !== undefined) {
    const hidden = hide(body);
    const kept = truncated ? shownBody(cut(Buffer.from(hidden)), true) : { body: hidden };
    return { body: kept, truncated, redacted: hidden !== body };
  }
  const latin1 = seen.toString('latin1');
  const hidden = hide(latin1);
  const shown = hidden.replaceAll('…', HIDDEN_BYTES);
  return {
    body: shownBody(cut(Buffer.from(shown, 'latin1'))),
    truncated,
    redacted: hidden !== latin1,
  };
}

function textOf(bytes: Buffer): Partial<ShownBody> {
  return isUtf8(bytes) ? { body: bytes.toString('utf8') } : {};
}

function cut(bytes: Buffer): Buffer {
  return bytes.subarray(0, MOST_BYTES);
}

import { LIMITS } from '../../../contract/limits.js';
import { shortenSessionIds } from '../../../core/identity/session.js';
import { isWholeJson } from '../../../core/input/kinds.js';
import * as service from '../../../core/resources/resources.js';
import { createJsonRedactor } from '../../../core/resources/visible-fields.js';
import { ATTEMPT_VIEW, CALL_DETAIL, DELIVERY_DETAIL } from '../../../http/control/exchanges.js';
import { CHARGE_VIEW, SESSION_LINE, WITHDRAWAL_VIEW } from '../../../http/control/schema.js';
import { ERROR_BODY } from '../../../http/shared/response.js';
import { indentJson, parseJson } from '../../../text/json.js';
import * as redaction from '../../../text/redaction.js';

const { KnownSecrets, REDACTED } = redaction;

/** A body as stored by the sandbox. */
export interface StoredBody {
  readonly body?: string | undefined;
  readonly body_base64?: string | undefined;
  readonly body_bytes?: number;
  readonly truncated?: boolean;
}
type Headers = readonly (readonly [name: string, value: string])[];

/** Headers shown with their values. The values of all other headers are redacted. */
const KNOWN_HEADERS = new Set(
  `accept accept-encoding accept-language allow cache-control connection content-encoding content-length
  content-type cross-origin-resource-policy date expect host idempotency-key keep-alive retry-after
  sec-fetch-dest sec-fetch-mode sec-fetch-site server transfer-encoding user-agent vary webhook-id
  webhook-timestamp x-content-type-options x-nonce x-powered-by x-request-id x-timestamp`.split(/\s+/),
);

const redactBody = createJsonRedactor([...Object.values(service), ...service.EVENT_SCHEMAS, ERROR_BODY]);
const VIEWS = [CALL_DETAIL, DELIVERY_DETAIL, ATTEMPT_VIEW, CHARGE_VIEW, WITHDRAWAL_VIEW, SESSION_LINE];

/** Fields with free text, by author. A receiver has none. */
const AUTHORS = {
  receiver: { redact: redactBody, texts: new Set<string>() },
  application: { redact: redactBody, texts: new Set(['code', 'url']) },
  sandbox: { redact: redactBody, texts: new Set('code field hint message sessionId url'.split(' ')) },
  /** A resource of the control API. */
  view: {
    redact: createJsonRedactor(VIEWS),
    texts: new Set(
      `api code detail body_error endpoint_name endpoint_url field hint id message method path resource_code
      resource_id target_url warnings`.split(/\s+/),
    ),
  },
} as const;

export type Author = keyof typeof AUTHORS;

/** Values shorter than this occur in many words. */
const LEAST_LENGTH = 4;
/** Error messages quote the beginning of a value. */
const QUOTED_LENGTH = 60;

function shortenImage(name: string, value: unknown): unknown {
  return name === 'qr_code_base64' && typeof value === 'string' ? REDACTED : value;
}

/**
 * Redacts a report. Hides secrets, and unless `withData` is set also personal data: in structured data by
 * allow-lists, in other texts the `found` values of redacted fields.
 */
export class ReportRedactor {
  readonly withData: boolean;
  /** Redacted values, for a second pass over the same data. */
  readonly redacted = new Set<string>();
  readonly #secrets: redaction.KnownSecrets;
  readonly #found: redaction.KnownSecrets;

  constructor(withData: boolean, secrets: redaction.KnownSecrets, found: ReadonlySet<string>) {
    this.withData = withData;
    this.#secrets = secrets;
    this.#found = new KnownSecrets(found, LEAST_LENGTH);
  }

  /** Redacts a text written by the sandbox, including URLs in it. */
  readonly text = (text: string): string => {
    const urls = text.replaceAll(/[^\s"'`]+/g, (word) => (/[/?]/.test(word) ? this.#url(word) : word));
    const shown = shortenSessionIds(this.#secrets.hide(urls));
    // A digest reveals a body whose other fields can be guessed.
    return this.withData ? shown : this.#found.hide(shown).replaceAll(/\b[\da-f]{64}\b/g, REDACTED);
  };

  /** Redacts all texts in a JSON value, except ids and instants. */
  texts<Value extends object>(value: Value): Value {
    const show = (name: string, one: unknown) =>
      typeof one === 'string' && !/(?:^|_)at$/.test(name) ? this.text(one) : one;
    return JSON.parse(JSON.stringify(value), show) as Value;
  }

  /** Redacts a JSON value by field. Redacted values are strings. */
  json<Value extends object>(value: Value, author: Author): Value {
    return this.withData ? this.texts(value) : (this.#byField(value, author) as Value);
  }

  #byField(value: unknown, author: Author): unknown {
    const { redact, texts } = AUTHORS[author];
    const visibility = { showsInvalid: author !== 'receiver', show: this.text, onRedacted: this.#note };
    return redact(value, { texts, ...visibility });
  }

  /** Redacts credentials and, without `withData`, the values of unknown headers. */
  headers(headers: Headers): [name: string, value: string][] {
    return headers.map(([name, value]) => {
      if (redaction.isCredentialHeader(name))
        return [name, (/^(?:basic|bearer) /i.exec(value)?.[0] ?? '') + REDACTED];
      if (this.withData || KNOWN_HEADERS.has(name.toLowerCase())) return [name, this.text(value)];
      this.#note(value);
      return [name, REDACTED];
    });
  }

  /** Redacts a body. Without `withData`, shows only JSON. `body_note` describes what is omitted. */
  body(stored: StoredBody, author: Author): { readonly body: string; readonly body_note: string | null } {
    const { body: text, body_base64: encoded = '', truncated = false } = stored;
    const bytes =
      stored.body_bytes ?? Buffer.byteLength(text ?? encoded, text === undefined ? 'base64' : 'utf8');
    if (text === undefined) return { body: '', body_note: `${bytes} bytes, not UTF-8` };
    const json = this.withData ? undefined : parseJson(text);
    const isJson = json !== undefined && isWholeJson(json);
    if (!this.withData && !isJson && text !== '')
      return {
        body: '',
        body_note: `redacted: ${bytes} bytes of text, not ${truncated ? 'complete ' : ''}JSON`,
      };
    const shown = isJson
      ? JSON.stringify(this.#byField(json, author), null, 2)
      : shortenSessionIds(this.#secrets.hide(redaction.redactFields(indentJson(text, shortenImage))));
    const isCut = truncated || shown.length > LIMITS.callBodyBytes;
    return {
      body: shown.slice(0, LIMITS.callBodyBytes),
      body_note: isCut ? `only the beginning of ${bytes} bytes` : null,
    };
  }

  readonly #note = (value: string): void => {
    const quoted = JSON.stringify(value).slice(1, QUOTED_LENGTH);
    this.redacted.add(value).add(quoted.replace(/"$/, ''));
  };

  /** Redacts credentials in a URL and, without `withData`, every value in its query. */
  #url(word: string): string {
    const url = redaction.redactUrl(word);
    const at = this.withData ? -1 : url.indexOf('?');
    if (at < 0) return url;
    const values = new URLSearchParams(word.slice(word.indexOf('?'))).values();
    for (const value of values) this.#note(value);
    const parts = url.slice(at + 1).split('&');
    return `${url.slice(0, at)}?${parts.map((part) => part.replace(/^([^=]*=)?.+$/s, `$1${REDACTED}`)).join('&')}`;
  }
}

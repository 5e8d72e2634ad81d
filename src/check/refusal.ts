import { performance } from 'node:perf_hooks';
import { diagnoseWebhook, createFaultySigner, type SigningErrorId } from '../signing/diagnosis/webhook.js';
import { KnownSecrets } from '../text/redaction.js';
import { type CheckContext, forgeSignature, type ExpectedMessage } from './bench.js';
import type { ReceiverResponse } from './check.js';
import type { PaidOrder } from './orders.js';
import {
  formatResponse,
  formatBody,
  formatExchange,
  formatFirstLines,
  isAccepted,
  isRedirect,
} from './receiver-response.js';
import { findResponseCause, formatSuspects, listSuspects, UNDECODED_SECRET } from './response-causes.js';
import type { MessageParts } from './send.js';

interface RefusalDiagnosis {
  readonly by: 'accept.types' | 'accept.unknown-resource' | 'answer.redirect';
  readonly message: string;
  readonly fix: string;
  /** Lines to show before the results. */
  readonly notes: readonly string[];
}

type Cause = Pick<RefusalDiagnosis, 'message' | 'fix'> & Partial<Pick<RefusalDiagnosis, 'by' | 'notes'>>;

const SENT = 'a valid pix.settled';
const TOGETHER = 4;
/** Time limit in milliseconds. Slow receivers get fewer variants. */
const MOST_MS = 20_000;

/** Diagnoses why a receiver rejects a valid webhook. Sends up to about seventy variants. */
export async function diagnoseRefusal(
  context: CheckContext,
  response: ReceiverResponse,
): Promise<RefusalDiagnosis> {
  const cause = await new Diagnosis(context, response).cause();
  const { secret, headers = {} } = context.options.options;
  const secrets = new KnownSecrets([
    secret,
    secret.slice('whsec_'.length),
    ...Object.values(headers),
    ...Object.values(headers).flatMap((value) => value.split(' ')),
  ]);
  const { message, fix, by = 'accept.types', notes = [message, fix] } = cause;
  return {
    by,
    message: secrets.hide(message),
    fix: secrets.hide(fix),
    notes: notes.map((note) => secrets.hide(note)),
  };
}

class Diagnosis {
  readonly #context: CheckContext;
  readonly #response: ReceiverResponse;
  readonly #url: URL;
  /** All variants share one order: creating orders is slow, and rejected variants change nothing. */
  #order: Promise<PaidOrder> | undefined;
  #tried = 0;
  /** Response to a forged webhook, if its body differs from the responses to valid webhooks. */
  #differentlyWorded: ReceiverResponse | undefined;

  constructor(context: CheckContext, response: ReceiverResponse) {
    this.#context = context;
    this.#response = response;
    this.#url = new URL(context.options.target.url);
  }

  async cause(): Promise<Cause> {
    const response = this.#response;
    const shown = findResponseCause(this.#url, response);
    if (shown !== undefined) return isRedirect(response) ? { ...shown, by: 'answer.redirect' } : shown;
    return (
      (await this.#compared()) ?? (await this.#tryVariants()) ?? this.#findByWords() ?? this.#unexplained()
    );
  }

  /** Compares the response with responses to the same webhook, a forged webhook and unsigned webhooks. */
  async #compared(): Promise<Cause | undefined> {
    const got = formatResponse(this.#response);
    const again = await this.#send((right) => right);
    if (isAccepted(again)) return unsteady(got);
    const forged = await this.#send((right) => ({
      ...right,
      signature: forgeSignature(right),
    }));
    if (isAccepted(forged)) {
      return {
        message: `The receiver accepts a forged signature and rejects the valid one (${got}).`,
        fix: 'Invert the condition: reject the event if the signatures do not match.',
      };
    }
    if (again.status !== forged.status) return this.#refusedLater(forged);
    const isSteady = formatBody(again) === formatBody(this.#response);
    if (isSteady && formatBody(forged) !== formatBody(again)) this.#differentlyWorded = forged;
    if (again.status === 404) {
      return {
        message: `POST ${this.#url.pathname} does not exist (404).`,
        fix: 'Check the path after the port in --forward-to, and register the route for POST.',
      };
    }
    const unsigned = { signature: undefined };
    for (const missing of [unsigned, { ...unsigned, id: undefined, timestamp: undefined }]) {
      if (!isAccepted(await this.#send((valid) => ({ ...valid, ...missing })))) continue;
      return {
        message:
          `The receiver accepts an unsigned webhook and rejects the signed one (${got}): it ` +
          'verifies signatures only if present, and computes a different signature.',
        fix: 'Reject unsigned webhooks, then run the check again to find out why the valid one is rejected.',
      };
    }
    return undefined;
  }

  /** Returns a cause if only the response text distinguishes a forged webhook from a valid one. */
  #findByWords(): Cause | undefined {
    return this.#differentlyWorded && this.#refusedLater(this.#differentlyWorded);
  }

  /** Describes a receiver that verifies the signature but rejects the event's content. */
  #refusedLater(forged: ReceiverResponse): Cause {
    const got = formatResponse(this.#response);
    const compared = `${got}; a forged webhook got ${formatResponse(forged)}`;
    if (!this.#context.isOrdered) {
      return {
        by: 'accept.unknown-resource',
        message:
          'The receiver verifies the signature, but rejects a charge that the application never ' +
          `created (${compared}). With an order command, events refer to existing charges.`,
        fix: 'Store the event until the charge is known, and respond 2xx. Add --order to run the remaining checks now.',
      };
    }
    return {
      message: `The receiver verifies the signature, but then rejects a pix.settled for its own order (${compared}).`,
      fix: "Find the reason in the handler or the application's log: the signature is not the cause.",
    };
  }

  async #tryVariants(): Promise<Cause | undefined> {
    const startedMs = performance.now();
    const variants = distinctVariants(await this.#valid());
    for (let at = 0; at < variants.length && performance.now() - startedMs < MOST_MS; at += TOGETHER) {
      const batch = variants.slice(at, at + TOGETHER);
      const responses = await Promise.all(
        batch.map((variant) => this.#send((valid) => signVariant(valid, variant) ?? valid)),
      );
      this.#tried += batch.length;
      const accepted = batch.find((_, index) => responses.slice(index, index + 1).some(isAccepted));
      if (accepted !== undefined) return this.#explained(accepted);
      // Crashes, timeouts and rate limits reveal nothing about the signature.
      if (responses.some(({ status }) => status === null || status === 429)) return undefined;
    }
    return undefined;
  }

  async #explained(variant: SignatureVariant): Promise<Cause> {
    const got = formatResponse(this.#response);
    if (isAccepted(await this.#send((valid) => valid))) return unsteady(got);
    const { did, fix } = explainVariant(await this.#valid(), variant);
    return {
      message:
        `Your receiver rejects the valid signature (${got}) and accepts one with ` +
        `${did.length === 1 ? 'this error' : 'these errors'}: ${did.join(' ')}`,
      fix: fix.join(' '),
    };
  }

  #unexplained(): Cause {
    const response = this.#response;
    const [first] = this.#context.exchanges;
    const exchange = first === undefined ? [] : formatExchange(first);
    const tried = `as well as ${this.#tried} variants with common signing errors`;
    const isFailing = response.status !== null && response.status >= 500;
    const message = isFailing
      ? `The application fails on ${SENT} (${response.status}), ${tried}. Response: ` +
        (formatFirstLines(response) || 'nothing')
      : `The receiver rejects ${SENT} (${formatResponse(response)}), ${tried}.`;
    const suspects = listSuspects(this.#url, isFailing ? { ...response, status: 400 } : response);
    // The variants include an undecoded secret.
    const usual = formatSuspects(suspects.filter((one) => one !== UNDECODED_SECRET));
    const fix = isFailing ? `Find the error in the application's log. ${usual}` : usual;
    return { message, fix, notes: [message, fix, ...exchange] };
  }

  async #send(change: (valid: ExpectedMessage) => MessageParts): Promise<ReceiverResponse> {
    return this.#context.send(change(await this.#valid()));
  }

  async #valid(): Promise<ExpectedMessage> {
    return this.#context.right(this.#context.event(await this.#charge()));
  }

  async #charge(): Promise<PaidOrder> {
    if (!this.#context.isOrdered) return this.#context.charge();
    this.#order ??= this.#context.charge();
    const order = await this.#order;
    await this.#context.options.orders.settle(order);
    return order;
  }
}

function unsteady(got: string): Cause {
  return {
    message: `The receiver rejected the first valid webhook (${got}) and accepted a later one.`,
    fix: 'Run the check only after the application is ready, and look for state shared between requests.',
  };
}

/** Formats of the `webhook-signature` header, each with a fix for receivers that expect it. */
const READ_ENTRIES = 'Split webhook-signature at spaces, and compare the part after "v1," in each entry.';
const READ_BASE64 = 'Compare in base64: signatures are v1,<base64>.';
const WRITINGS = {
  standard: { write: (mac: Buffer) => `v1,${mac.toString('base64')}`, did: [], fix: [] },
  hex: {
    write: (mac: Buffer) => `v1,${mac.toString('hex')}`,
    did: ['The signature is encoded in hex.'],
    fix: [READ_BASE64],
  },
  unversioned: {
    write: (mac: Buffer) => mac.toString('base64'),
    did: ['The signature lacks the "v1," prefix.'],
    fix: [READ_ENTRIES],
  },
  'unversioned hex': {
    write: (mac: Buffer) => mac.toString('hex'),
    did: ['The signature is encoded in hex and lacks the "v1," prefix.'],
    fix: [READ_ENTRIES, READ_BASE64],
  },
  'prefixed hex': {
    write: (mac: Buffer) => `sha256=${mac.toString('hex')}`,
    did: ['The signature is formatted as sha256=<hex>.'],
    fix: [READ_ENTRIES, READ_BASE64],
  },
} as const;
type Writing = keyof typeof WRITINGS;

const MILLISECONDS = {
  did: ['webhook-timestamp is in milliseconds.'],
  fix: ['Multiply webhook-timestamp, which is in seconds, by 1000 before comparing it with milliseconds.'],
};

/** A valid webhook with the signature that a buggy receiver expects. */
interface SignatureVariant {
  readonly mistakes: readonly SigningErrorId[];
  readonly writing: Writing;
  /** Set if the receiver treats the timestamp as milliseconds. */
  readonly isInMilliseconds?: boolean;
}

const TEXT_KEYS = ['secret-used-whole', 'secret-not-decoded'];
const BODY_ONLY = 'parts-left-out';
/** Single signing errors, starting with re-serialized bodies. */
const SINGLES = `body-spaced body-reserialised body-php-json body-go-map body-key-order body-key-order#1
  body-left-empty body-unserialised body-python-dict body-python-bytes ${BODY_ONLY} body-buffer-json
  body-indented body-unicode-escaped body-unicode-escaped#1 body-slashes-escaped body-signs-escaped
  body-signs-escaped#1 body-unserialised#4 body-printed body-data-only body-digested id-left-out
  timestamp-left-out body-left-out separator-none separator-line-break separator-other parts-order
  secret-hex-decoded secret-base64url secret-prefix-decoded secret-key-as-hex secret-decoded-to-text
  secret-unset`.split(/\s+/);

/** Likely combinations of errors with an undecoded key, including the GitHub and Stripe schemes. */
const PAIRED: readonly (readonly [content: readonly SigningErrorId[], writing: Writing])[] = [
  ...(['hex', 'unversioned', 'unversioned hex'] as const).map((writing) => [[], writing] as const),
  ...(['standard', 'prefixed hex', 'unversioned hex', 'hex'] as const).map(
    (writing) => [[BODY_ONLY], writing] as const,
  ),
  ...['spaced', 'php-json', 'go-map', 'unserialised', 'left-empty', 'python-dict', 'python-bytes'].map(
    (body) => [[`body-${body}`], 'standard'] as const,
  ),
  [['id-left-out'], 'hex'],
];

const SIGNATURE_VARIANTS: readonly SignatureVariant[] = [
  ...TEXT_KEYS.map((key) => variant([key])),
  variant([], 'hex'),
  variant([], 'unversioned'),
  variant([], 'unversioned hex'),
  { mistakes: [], writing: 'standard', isInMilliseconds: true },
  ...SINGLES.map((mistake) => variant([mistake])),
  ...TEXT_KEYS.flatMap((key) => PAIRED.map(([content, writing]) => variant([key, ...content], writing))),
  variant([BODY_ONLY], 'unversioned hex'),
];

function variant(mistakes: readonly SigningErrorId[], writing: Writing = 'standard'): SignatureVariant {
  return { mistakes, writing };
}

function signVariant(
  valid: ExpectedMessage,
  { mistakes, writing, isInMilliseconds = false }: SignatureVariant,
): MessageParts | undefined {
  const timestamp = isInMilliseconds ? `${valid.timestamp}000` : valid.timestamp;
  const mac = createFaultySigner({ ...valid, timestamp })(mistakes);
  if (mac === undefined) return undefined;
  const signature = WRITINGS[writing].write(mac);
  return signature === valid.signature ? undefined : { ...valid, timestamp, signature };
}

function distinctVariants(valid: ExpectedMessage): SignatureVariant[] {
  const seen = new Set<string | undefined>([undefined]);
  return SIGNATURE_VARIANTS.filter((one) => {
    const signature = signVariant(valid, one)?.signature;
    return !seen.has(signature) && seen.add(signature);
  });
}

/** Describes a variant's signing errors and their fixes, like the `verify` command. */
function explainVariant(
  valid: ExpectedMessage,
  { mistakes, writing, isInMilliseconds = false }: SignatureVariant,
) {
  const parts = signVariant(valid, { mistakes, writing: 'standard' });
  const { id = '', timestamp = '', signature = '', body = new Uint8Array() } = parts ?? {};
  const known = { secrets: [{ secret: valid.secret }], nowS: Number(timestamp), effort: 'pairs' } as const;
  const findings =
    parts === undefined ? [] : diagnoseWebhook({ body, headers: { id, timestamp, signature } }, known);
  const all = [...findings, WRITINGS[writing], ...(isInMilliseconds ? [MILLISECONDS] : [])];
  return { did: all.flatMap(({ did }) => did), fix: all.flatMap(({ fix }) => fix) };
}

import { performance } from 'node:perf_hooks';
import { KnownSecrets } from '../text/known-secrets.js';
import { parseUrl } from '../text/urls.js';
import type { Bench, Right } from './bench.js';
import { otherSecret, signedAs } from './bench.js';
import type { Answer, Exchange } from './check.js';
import type { Paid } from './orders.js';
import { eventAbout } from './orders.js';
import type { SignatureVariant } from './refusal-variants.js';
import { distinctVariants, explainVariant, signVariant } from './refusal-variants.js';
import type { Parts } from './send.js';
import { answerText, bodyText, exchangeLines, firstLines, isAccepted, isTimeout } from './response.js';

/** The response to the first valid webhook, and where it was sent. */
interface Refused {
  readonly url: URL;
  readonly response: Answer;
}

/** A cause that the response itself shows. */
interface ResponseCause {
  readonly message: string;
  readonly fix: string;
}

interface Row {
  readonly matches: (response: Answer) => boolean;
  readonly cause: (refused: Refused) => ResponseCause;
}

/** Wordings of Django, Rails, Laravel, Spring, and Express middleware. */
const CSRF = /csrf|xsrf|authenticity ?token|request forgery|page expired/i;
const CSRF_STATUSES = new Set([400, 403, 419, 422]);
const LOGIN = /log-?in|sign-?in|auth|sso/i;

/** Causes by the response, the first that matches. */
const ROWS: readonly Row[] = [
  {
    matches: ({ error }) => error?.startsWith('CONNECTION_REFUSED') === true,
    cause: ({ url }) => ({
      message: `Nothing listens at ${url.host}.`,
      fix: 'Start the application, and check the host and port after --forward-to.',
    }),
  },
  {
    matches: isTimeout,
    cause: ({ response }) => ({
      message: `The receiver did not respond in time (${response.error}).`,
      fix: 'Respond before the work is done, and check that every path of the handler sends a response.',
    }),
  },
  {
    matches: ({ status }) => status === null,
    cause: ({ response }) => ({
      message: `The connection ended without a response (${response.error}).`,
      fix: "Find the error in the application's log: its process may have crashed.",
    }),
  },
  { matches: ({ status }) => isWithin(status, 300, 399), cause: redirected },
  {
    matches: (response) => CSRF_STATUSES.has(response.status ?? 0) && CSRF.test(bodyText(response)),
    cause: ({ url, response }) => ({
      message: `The framework's CSRF protection refuses the webhook (${response.status}); the handler never runs.`,
      fix: `Exempt ${url.pathname} from it: @csrf_exempt in Django, validateCsrfTokens(except: […]) in Laravel, skip_forgery_protection in Rails.`,
    }),
  },
  {
    matches: ({ status }) => status === 405,
    cause: ({ url, response }) => ({
      message: `${url.pathname} does not accept POST (405${headerOf(response, 'allow', '; it allows ')}).`,
      fix: `Register the handler for POST ${url.pathname}, or check the path after --forward-to.`,
    }),
  },
  {
    matches: ({ status }) => status === 413,
    cause: () => ({
      message: 'The body of a webhook is too large for the receiver (413).',
      fix: 'Raise the body limit of this route, and of a proxy in front of it, to at least 1 MB.',
    }),
  },
  {
    matches: ({ status }) => status === 415,
    cause: () => ({
      message: 'The receiver does not accept Content-Type: application/json (415).',
      fix: 'Accept application/json on this route, and read its raw body.',
    }),
  },
  {
    matches: ({ status }) => status === 429,
    cause: () => ({
      message: 'A rate limit refuses the webhook (429).',
      fix: 'Exempt the webhook route from the rate limit, and run the check again.',
    }),
  },
  {
    matches: (response) => response.status === 401 && headerOf(response, 'www-authenticate') !== '',
    cause: ({ url, response }) => ({
      message: `A login protects the route (401, WWW-Authenticate: ${headerOf(response, 'www-authenticate')}).`,
      fix: `Exempt ${url.pathname} from it: the signature authenticates a webhook.`,
    }),
  },
  {
    matches: ({ status }) => status === 502 || status === 504,
    cause: ({ url, response }) => ({
      message: `A proxy at ${url.host} responds instead of the application (${response.status}).`,
      fix: 'Start the application behind the proxy, or pass its own port to --forward-to.',
    }),
  },
];

/** The cause that a response shows by its status; undefined where other responses must be compared with it. */
function causeByResponse(refused: Refused): ResponseCause | undefined {
  return ROWS.find(({ matches }) => matches(refused.response))?.cause(refused);
}

function redirected({ url, response }: Refused): ResponseCause {
  const location = headerOf(response, 'location');
  const to = parseUrl(location, url);
  const message = `The receiver redirects (${response.status})${location === '' ? '' : ` to ${location}`}, and redirects are not followed.`;
  if (to !== undefined && LOGIN.test(to.pathname))
    return { message, fix: `Exempt ${url.pathname} from the login: the signature authenticates a webhook.` };
  if (to === undefined) return { message, fix: 'Respond 2xx to a webhook.' };
  return { message, fix: `Use the exact URL: --forward-to ${to.href}` };
}

function isWithin(status: number | null, least: number, most: number): boolean {
  return status !== null && status >= least && status <= most;
}

/** The value of a header after a text; empty without the header. */
function headerOf({ headers }: Answer, wanted: string, before = ''): string {
  const value = headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  return value === undefined ? '' : before + value;
}

/** The first valid webhook and the response that refused it. */
interface RefusedWebhook {
  readonly sent: string;
  readonly response: Answer;
}

/** Why a receiver refuses a valid webhook. */
interface RefusalDiagnosis {
  /** The check that fails by it. */
  readonly by: 'accept.types' | 'accept.unknown-resource' | 'answer.redirect';
  readonly message: string;
  readonly fix: string;
  /** Sentences and lines to show before the results. */
  readonly notes: readonly string[];
  /** All requests of the diagnosis, and their responses. */
  readonly exchanges: readonly Exchange[];
}

type Cause = Pick<RefusalDiagnosis, 'message' | 'fix'> & Partial<Pick<RefusalDiagnosis, 'by' | 'notes'>>;

const USUAL_CAUSES =
  'Check the usual causes in this order: the application has another secret (compare the length and the last characters with --secret); a body parser runs before the verification (verify the raw bytes); other middleware responds before the handler (log its first line).';
const TOGETHER = 4;
/** A slow receiver gets fewer variants. */
const MOST_MS = 20_000;

/** Finds out why a receiver refuses a valid webhook, by at most some seventy variants of it. */
export async function diagnoseRefusal(bench: Bench, refused: RefusedWebhook): Promise<RefusalDiagnosis> {
  const cause = await new Diagnosis(bench, refused).cause();
  const { secret, headers = {} } = bench.kit.options;
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
    exchanges: bench.exchanges,
  };
}

class Diagnosis {
  readonly #bench: Bench;
  readonly #sent: string;
  readonly #response: Answer;
  readonly #url: URL;
  /** What is refused changes nothing, so variants share one order of the application, which takes long to create. */
  #order: Promise<Paid> | undefined;
  #tried = 0;
  /** The response to a forged webhook, where it has another text than the ones to valid webhooks. */
  #otherwiseWorded: Answer | undefined;

  constructor(bench: Bench, { sent, response }: RefusedWebhook) {
    this.#bench = bench;
    this.#sent = sent;
    this.#response = response;
    this.#url = new URL(bench.kit.target.url);
  }

  async cause(): Promise<Cause> {
    const response = this.#response;
    const shown = causeByResponse({ url: this.#url, response });
    if (shown !== undefined) {
      const isRedirect = response.status !== null && response.status < 400;
      return isRedirect ? { ...shown, by: 'answer.redirect' } : shown;
    }
    return (await this.#compared()) ?? (await this.#mistaken()) ?? this.#worded() ?? this.#unexplained();
  }

  /** Compares the response with the ones to the same webhook again, to a forged and to unsigned ones. */
  async #compared(): Promise<Cause | undefined> {
    const got = answerText(this.#response);
    const again = await this.#send((right) => right);
    if (isAccepted(again)) return unsteady(got);
    const forged = await this.#send((right) => ({
      ...right,
      signature: signedAs(right, { secret: otherSecret() }),
    }));
    if (isAccepted(forged)) {
      return {
        message: `The receiver accepts a forged signature and refuses the valid one (${got}).`,
        fix: 'Invert the condition: refuse where the comparison does not match.',
      };
    }
    if (again.status !== forged.status) return this.#refusedLater(forged);
    const isSteady = bodyText(again) === bodyText(this.#response);
    if (isSteady && bodyText(forged) !== bodyText(again)) this.#otherwiseWorded = forged;
    if (again.status === 404) {
      return {
        message: `POST ${this.#url.pathname} does not exist (404).`,
        fix: 'Check the path after the port in --forward-to, and that the route is registered for POST.',
      };
    }
    for (const unsigned of [withoutSignature, withoutHeaders]) {
      if (!isAccepted(await this.#send(unsigned))) continue;
      return {
        message: `The receiver accepts an unsigned webhook and refuses the signed one (${got}): it verifies only where there is a signature, and computes another.`,
        fix: 'Refuse a webhook without a signature; then run the check again to learn why the valid one is refused.',
      };
    }
    return undefined;
  }

  /** Responses of the same status that tell a forged webhook from a valid one by their text. */
  #worded(): Cause | undefined {
    return this.#otherwiseWorded && this.#refusedLater(this.#otherwiseWorded);
  }

  /** It knows the valid signature from a forged one, and refuses the event for what it is about. */
  #refusedLater(forged: Answer): Cause {
    const got = answerText(this.#response);
    const compared = `${got}; to a forged one ${answerText(forged)}`;
    if (!this.#bench.isOrdered) {
      return {
        by: 'accept.unknown-resource',
        message: `The receiver verifies the signature, and refuses a charge that the application never made (${compared}). With an order command, events are about its own charges.`,
        fix: 'Keep the event until the charge is known, and respond 2xx; add --order to check the rest now.',
      };
    }
    return {
      message: `The receiver verifies the signature, and then refuses a pix.settled of its own order (${compared}).`,
      fix: "Find the reason in the handler or the application's log: the signature is not it.",
    };
  }

  /** Sends the webhook signed with the usual mistakes, until one is accepted. */
  async #mistaken(): Promise<Cause | undefined> {
    const startedMs = performance.now();
    const variants = distinctVariants(await this.#valid());
    for (let at = 0; at < variants.length && performance.now() - startedMs < MOST_MS; at += TOGETHER) {
      const batch = variants.slice(at, at + TOGETHER);
      const responses = await Promise.all(
        batch.map((variant) => this.#send((valid) => signVariant(valid, variant) ?? valid)),
      );
      this.#tried += batch.length;
      const accepted = batch.find((_, index) => isAcceptedResponse(responses[index]));
      if (accepted !== undefined) return this.#explained(accepted);
      // A dead or slow receiver, and a rate limit, say nothing about the signature.
      if (responses.some(({ status }) => status === null || status === 429)) return undefined;
    }
    return undefined;
  }

  async #explained(variant: SignatureVariant): Promise<Cause> {
    const got = answerText(this.#response);
    if (isAccepted(await this.#send((valid) => valid))) return unsteady(got);
    const { did, fix } = explainVariant(await this.#valid(), variant);
    return {
      message: `Your receiver refuses the valid signature (${got}) and accepts one with ${did.length === 1 ? 'this mistake' : 'these mistakes'}: ${did.join(' ')}`,
      fix: fix.join(' '),
    };
  }

  #unexplained(): Cause {
    const response = this.#response;
    const [first] = this.#bench.exchanges;
    const exchange = first === undefined ? [] : exchangeLines(first);
    const tried = `as well as ${this.#tried} variants of it with common signing mistakes`;
    const isFailing = response.status !== null && response.status >= 500;
    const message = isFailing
      ? `The application fails on ${this.#sent} (${response.status}), ${tried}. It responds: ${firstLines(response) || 'nothing'}`
      : `The receiver refuses ${this.#sent} (${answerText(response)}), ${tried}.`;
    const fix = isFailing ? `Find the error in the application's log. ${USUAL_CAUSES}` : USUAL_CAUSES;
    return { message, fix, notes: [message, fix, ...exchange] };
  }

  async #send(change: (valid: Right) => Parts): Promise<Answer> {
    return this.#bench.send(change(await this.#valid()));
  }

  /** A valid webhook with an id of its own, so that none is a repeat. */
  async #valid(): Promise<Right> {
    return this.#bench.right(eventAbout('pix.settled', await this.#charge(), Date.now()));
  }

  async #charge(): Promise<Paid> {
    if (!this.#bench.isOrdered) return this.#bench.charge();
    this.#order ??= this.#bench.charge();
    const order = await this.#order;
    await this.#bench.kit.orders.settle(order);
    return order;
  }
}

function isAcceptedResponse(response: Answer | undefined): boolean {
  return response !== undefined && isAccepted(response);
}

function withoutSignature(valid: Right): Parts {
  return { ...valid, signature: undefined };
}

function withoutHeaders(valid: Right): Parts {
  return { ...valid, id: undefined, timestamp: undefined, signature: undefined };
}

function unsteady(got: string): Cause {
  return {
    message: `The receiver refused the first valid webhook (${got}) and accepted a later one.`,
    fix: 'Wait until the application is ready before the check, and find what it shares between requests.',
  };
}

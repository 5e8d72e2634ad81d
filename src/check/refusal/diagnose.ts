import { performance } from 'node:perf_hooks';
import { KnownSecrets } from '../../text/known-secrets.js';
import type { Answer, Exchange } from '../check.js';
import type { Parts } from '../exchange/message.js';
import type { Bench } from '../plan/bench.js';
import { answerText, isAccepted } from '../plan/bench.js';
import type { Paid } from '../plan/events.js';
import { eventAbout } from '../plan/events.js';
import type { Right } from '../plan/variants.js';
import { otherSecret, signedAs } from '../plan/variants.js';
import { bodyText, exchangeLines, firstLines } from './response-text.js';
import { causeByResponse } from './responses.js';
import type { SignatureVariant } from './variants.js';
import { distinctVariants, explainVariant, signVariant } from './variants.js';

/** The first valid webhook and the response that refused it. */
export interface RefusedWebhook {
  readonly sent: string;
  readonly response: Answer;
}

/** Why a receiver refuses a valid webhook. */
export interface RefusalDiagnosis {
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

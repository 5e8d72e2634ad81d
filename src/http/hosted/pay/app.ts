import { REFUSAL_STATUSES } from '../../../contract/refusals.js';
import { randomBytes } from 'node:crypto';
import { formatAmount } from '../../../contract/money.js';
import { presentCharge } from '../../../core/resources/serialize.js';
import type { Charge } from '../../../core/world.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { isLoopbackName } from '../../../text/urls.js';
import type { DoorApp, DoorContext } from '../../operation/answer.js';
import { answerFor, newRequestId, PRIVATE_HEADERS } from '../../operation/answer.js';
import { createDoorApp } from '../../operation/door-app.js';
import { createFallback } from '../../operation/fallbacks.js';
import { readForm } from '../form.js';
import type { Language } from '../language.js';
import { chooseLanguage } from '../language.js';
import { carryOut } from './actions.js';
import { isPayToken, payPath } from '../../operation/page-urls.js';
import { OneTimeTokens } from './one-time-tokens.js';
import type { Problem } from './page.js';
import type { PayView } from './pay-state.js';
import { payState } from './pay-state.js';
import { followCharge } from './pay-stream.js';
import type { PayPolicy } from './policy.js';
import { payTextsOf } from './texts.js';

/** A request for the page of a charge that is there. */
interface Visit extends PayView {
  readonly c: DoorContext;
  readonly charge: Charge;
}

/** What came of a form: the HTTP status, and what the page says about it. */
interface Outcome {
  readonly status: number;
  readonly problem?: Problem;
}

const OK = 200;
const SEE_OTHER = 303;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const NONCE_BYTES = 16;

/**
 * The pay pages, as a Hono app: what a payer of a charge would see, and in the panel the buttons that decide what happens to it. Their
 * requests are not calls of an application, so the call log has none of them; what a button does is on the timeline, by the console.
 */
export function createPayApp(sandbox: Sandbox, policy: PayPolicy): DoorApp {
  const pages = new PayPages(sandbox, policy);
  const path = policy.isExposed ? '/pay/:id/:token' : '/pay/:id';
  const routes = [
    { method: 'GET', path, answer: (visit: Visit) => pages.show(visit, { status: OK }) },
    { method: 'POST', path, answer: (visit: Visit) => pages.take(visit) },
    { method: 'GET', path: `${path}/stream`, answer: (visit: Visit) => pages.follow(visit) },
  ] as const;
  const app = createDoorApp();
  for (const { method, path, answer } of routes) {
    app.on(method, path, async (c) => {
      const visit = pages.visitOf(c);
      return visit === undefined ? sendNowhere(c, NOT_FOUND) : answer(visit);
    });
  }
  const unrouted = createFallback('', routes);
  app.notFound((c) => {
    const { refusal, headers } = unrouted(c);
    return sendNowhere(c, REFUSAL_STATUSES[refusal.code], headers);
  });
  return app;
}

class PayPages {
  readonly #sandbox: Sandbox;
  readonly #policy: PayPolicy;
  readonly #tokens = new OneTimeTokens();

  constructor(sandbox: Sandbox, policy: PayPolicy) {
    this.#sandbox = sandbox;
    this.#policy = policy;
  }

  /** Only the whole id of a charge finds it, and where others reach the page, only with its token. */
  visitOf(c: DoorContext): Visit | undefined {
    const { isExposed, hasButtons, hasConsole } = this.#policy;
    const id = c.req.param('id') ?? '';
    if (isExposed && !isPayToken(id, c.req.param('token') ?? '')) return undefined;
    this.#sandbox.dispatch({ type: 'clock.tick' });
    const charge = this.#sandbox.world.charges.byId.get(id);
    const language = chooseLanguage(c.req.header('accept-language'));
    return charge && { c, charge, language, hasButtons, hasConsole };
  }

  async show(visit: Visit, { status, problem }: Outcome): Promise<Response> {
    const { c, charge, language, hasButtons } = visit;
    const { drawQr } = this.#sandbox;
    const { renderPayPage } = await import('./page.js');
    await this.#sandbox.kept();
    const { qr_code, qr_code_base64 } = presentCharge(charge, drawQr);
    const url = this.#addressElsewhere(c, charge);
    const page = {
      state: payState(this.#sandbox, charge, visit),
      amount: moneyText(charge.amountCents, language),
      code: charge.code,
      pix: qr_code,
      picture: qr_code_base64 ?? '',
      stream: `${this.#pathOf(charge)}/stream`,
      elsewhere: url === undefined ? undefined : { url, picture: drawQr(url) },
      token: hasButtons ? this.#tokens.issue(charge.id) : undefined,
      problem,
    };
    return sendHtml(c, status, language, (nonce) => renderPayPage(page, language, nonce));
  }

  async take(visit: Visit): Promise<Response> {
    const { c, charge, hasButtons } = visit;
    const outcome = await this.#outcomeOf(visit);
    await this.#sandbox.kept();
    if (c.req.header('accept') === 'application/json') {
      const { status, problem = null } = outcome;
      const body = { token: hasButtons ? this.#tokens.issue(charge.id) : '', problem };
      return Response.json(body, {
        status: status === SEE_OTHER ? OK : status,
        headers: PRIVATE_HEADERS,
      });
    }
    if (outcome.status !== SEE_OTHER) return this.show(visit, outcome);
    const headers = { ...PRIVATE_HEADERS, location: this.#pathOf(charge) };
    return new Response(null, { status: SEE_OTHER, headers });
  }

  follow(visit: Visit): Response {
    return followCharge(this.#sandbox, visit.c, visit.charge.id, visit);
  }

  /** Carries out a form that its page showed and that was not used before; one that was used leads back to the page. */
  async #outcomeOf({ c, charge, language, hasButtons }: Visit): Promise<Outcome> {
    const { problems } = payTextsOf(language);
    if (!hasButtons) return { status: FORBIDDEN, problem: { text: problems.noButtons, why: '' } };
    try {
      const form = await readForm(c);
      const use = this.#tokens.use(form.get('token'), charge.id);
      if (use === 'unknown') return { status: FORBIDDEN, problem: { text: problems.form, why: '' } };
      const work = () => carryOut(this.#sandbox, charge.id, form);
      if (use === 'fresh') this.#sandbox.timeline.because({ by: 'console' }, work);
      return { status: SEE_OTHER };
    } catch (error) {
      const { status, body } = answerFor(error, newRequestId());
      return { status, problem: { text: problems.refused, why: body.error.message } };
    }
  }

  #pathOf({ id }: Charge): string {
    return payPath(id, this.#policy.isExposed);
  }

  /** The address that opens the page on other devices; undefined where none can reach it. */
  #addressElsewhere(c: DoorContext, { id }: Charge): string | undefined {
    const { isExposed, elsewhere } = this.#policy;
    const { origin, hostname } = new URL(c.req.url);
    const own = isExposed && !isLoopbackName(hostname) ? origin : undefined;
    const reachable = elsewhere?.() ?? own;
    return reachable === undefined ? undefined : reachable + payPath(id, true);
  }
}

async function sendNowhere(c: DoorContext, status: number, headers = {}): Promise<Response> {
  const { renderNowhere } = await import('./page.js');
  const language = chooseLanguage(c.req.header('accept-language'));
  const response = sendHtml(c, status, language, (nonce) => renderNowhere(language, nonce));
  for (const [name, value] of Object.entries<string>(headers)) response.headers.set(name, value);
  return response;
}

function sendHtml(
  c: DoorContext,
  status: number,
  language: Language,
  render: (nonce: string) => string,
): Response {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const text = render(nonce);
  return new Response(c.req.method === 'HEAD' ? null : text, {
    status,
    headers: {
      ...PRIVATE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      'content-security-policy': policyWith(nonce),
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      // With no-referrer, browsers would send `Origin: null` with our own forms, as any sandboxed frame can.
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'x-request-id': newRequestId(),
    },
  });
}

function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** An amount as people of a language write it, such as `R$ 1.234,56`. */
function moneyText(cents: number, language: Language): string {
  const [whole = '', places = ''] = formatAmount(cents).split('.');
  const grouped = new Intl.NumberFormat(language).format(BigInt(whole));
  return `R$ ${grouped}${language === 'pt-BR' ? ',' : '.'}${places}`;
}

import { randomBytes } from 'node:crypto';
import { formatAmount } from '../../../contract/money.js';
import { REFUSAL_STATUSES } from '../../../contract/refusals.js';
import { presentCharge } from '../../../core/resources/serialize.js';
import type { Charge } from '../../../core/world.js';
import { Recent } from '../../../sandbox/subscribers.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { isLoopbackName } from '../../../text/urls.js';
import type { DoorApp, DoorContext } from '../../operation/answer.js';
import { answerFor, newRequestId, PRIVATE_HEADERS } from '../../operation/answer.js';
import { createDoorApp } from '../../operation/send.js';
import { createFallback } from '../../operation/fallbacks.js';
import { isPayToken, payPath } from '../../operation/targets.js';
import type { HtmlPage } from '../page.js';
import { sendHtml } from '../page.js';
import { readForm } from '../request.js';
import { PAY_SCRIPT } from '../scripts.js';
import type { Language } from '../texts.js';
import { chooseLanguage, textsOf } from '../texts.js';
import type { Problem } from './page.js';
import { Nowhere, PayContent } from './page.js';
import type { PayView } from './state.js';
import { carryOut, followCharge, payState } from './state.js';

/** Where pay pages are, and what they may do there. */
export interface PayPolicy {
  /** Whether other machines reach them: then an address needs its token. */
  readonly isExposed: boolean;
  /** Whether whoever opens a page may decide what happens to its charge. */
  readonly hasButtons: boolean;
  /** Whether the console is at the same origin. */
  readonly hasConsole: boolean;
  /** The origin where other machines reach these pages, if it is not the one that they were asked at. */
  readonly elsewhere?: (() => string | undefined) | undefined;
}

interface Visit extends PayView {
  readonly c: DoorContext;
  readonly charge: Charge;
}

interface Outcome {
  readonly status: number;
  readonly problem?: Problem;
}

const OK = 200;
const SEE_OTHER = 303;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const TOKEN_BYTES = 16;
/** Each shown page has a token; the oldest are forgotten. */
const MOST_TOKENS = 10_000;

/**
 * The pay pages, as a Hono app: what a payer of a charge would see, and in the panel the buttons that decide
 * what happens to it. Their requests are not calls of an application, so the call log has none of them; what
 * a button does is on the timeline, by the console.
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
  /** The tokens of forms: each works once, for the charge whose page it was shown on. */
  readonly #tokens = new Recent<{ readonly chargeId: string; isUsed: boolean }>(MOST_TOKENS);

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
    await this.#sandbox.kept();
    const { qr_code, qr_code_base64 } = presentCharge(charge, drawQr);
    const url = this.#addressElsewhere(c, charge);
    const page = {
      state: payState(this.#sandbox, charge, visit),
      amount: moneyText(charge.amountCents, language),
      code: charge.code,
      pix: qr_code,
      picture: qr_code_base64 ?? '',
      elsewhere: url === undefined ? undefined : { url, picture: drawQr(url) },
      token: hasButtons ? this.#issueToken(charge) : undefined,
      problem,
    };
    const texts = textsOf(language).pay;
    return sendPay(c, {
      status,
      language,
      title: `${page.amount} · ${page.code}`,
      content: PayContent({ texts, page }),
      script: PAY_SCRIPT,
      data: { 'data-stream': `${this.#pathOf(charge)}/stream` },
    });
  }

  async take(visit: Visit): Promise<Response> {
    const { c, charge, hasButtons } = visit;
    const outcome = await this.#outcomeOf(visit);
    await this.#sandbox.kept();
    if (c.req.header('accept') === 'application/json') {
      const { status, problem = null } = outcome;
      const body = { token: hasButtons ? this.#issueToken(charge) : '', problem };
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
    const { problems } = textsOf(language).pay;
    if (!hasButtons) return { status: FORBIDDEN, problem: { text: problems.noButtons, why: '' } };
    try {
      const form = await readForm(c);
      const token = this.#tokens.get(form.get('token'));
      if (token?.chargeId !== charge.id)
        return { status: FORBIDDEN, problem: { text: problems.form, why: '' } };
      if (!token.isUsed) {
        token.isUsed = true;
        this.#sandbox.timeline.because({ by: 'console' }, () => carryOut(this.#sandbox, charge.id, form));
      }
      return { status: SEE_OTHER };
    } catch (error) {
      const { status, body } = answerFor(error, newRequestId());
      return { status, problem: { text: problems.refused, why: body.error.message } };
    }
  }

  #issueToken({ id: chargeId }: Charge): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#tokens.set(token, { chargeId, isUsed: false });
    return token;
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

function sendNowhere(c: DoorContext, status: number, headers = {}): Response {
  const language = chooseLanguage(c.req.header('accept-language'));
  const texts = textsOf(language).pay;
  const page = {
    status,
    language,
    title: texts.nowhere.title,
    content: Nowhere({ texts }),
    script: '',
  };
  return sendPay(c, page, headers);
}

const POLICY = [
  'img-src data:',
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

function sendPay(
  c: DoorContext,
  page: Omit<HtmlPage, 'banner' | 'policy' | 'headers'>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { site, banner } = textsOf(page.language).pay;
  return sendHtml(c, {
    ...page,
    title: `${page.title} · ${site}`,
    banner,
    policy: POLICY,
    headers: {
      ...PRIVATE_HEADERS,
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'x-request-id': newRequestId(),
      ...headers,
    },
  });
}

/** An amount as people of a language write it, such as `R$ 1.234,56`. */
function moneyText(cents: number, language: Language): string {
  const [whole = '', places = ''] = formatAmount(cents).split('.');
  const grouped = new Intl.NumberFormat(language).format(BigInt(whole));
  return `R$ ${grouped}${language === 'pt-BR' ? ',' : '.'}${places}`;
}

import type { CustomerType } from '../../../src/contract/enums.js';
import { findAppOrDefault } from '../../../src/core/identity/applications.js';
import { createPaymentDraft } from '../../../src/core/payments/payments.js';
import type { Charge, ChargeInput, IdentitySession } from '../../../src/core/world.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import type { TestApi } from './api-client.js';

/** A charge of the default application. */
export function newCharge(sandbox: Sandbox, fields: Partial<ChargeInput> = {}): Charge {
  const app = findAppOrDefault(sandbox.world);
  const draft = createPaymentDraft('charge', app, { amountCents: 123_456, ...fields });
  return sandbox.dispatch({ type: 'charge.create', appId: app.id, charge: draft }).charge;
}

/** The token in the forms of a pay page; empty where it has none. */
export function tokenIn(page: string): string {
  return /name="token" value="([\w-]+)"/.exec(page)?.[1] ?? '';
}

/** The labels of the buttons that a pay page shows. */
export function buttonsOf(page: string): string[] {
  const forms = page.match(/<form [^]*?<\/form>/g) ?? [];
  return forms
    .filter((form) => !/^<form [^>]* hidden/.test(form))
    .map((form) => /<button>([^<]*)<\/button>/.exec(form)?.[1] ?? '');
}

/** The page that opens the hosted ones in tests; registered by default. */
export const OPENER = 'http://localhost:3000';

export interface HostedPage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Asks for hosted pages as a browser without script would. */
export class HostedPages {
  readonly api: TestApi;

  constructor(api: TestApi) {
    this.api = api;
  }

  get(target: string, headers: Readonly<Record<string, string>> = {}): Promise<HostedPage> {
    return this.#ask('GET', target, { headers });
  }

  post(target: string, fields: Readonly<Record<string, string>>, headers = {}): Promise<HostedPage> {
    return this.#ask('POST', target, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** Posts a form of the session's own page. */
  step(
    session: IdentitySession,
    fields: Readonly<Record<string, string>>,
    headers = {},
  ): Promise<HostedPage> {
    const form = { token: session.formToken, origin: OPENER, ...fields };
    return this.post(`/session/${session.id}`, form, headers);
  }

  async #ask(method: string, target: string, sent: { headers: object; body?: string }): Promise<HostedPage> {
    const request = new Request(`http://localhost${target}`, { method, ...sent } as RequestInit);
    const response = await this.api.server.fetch(request, {});
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

/** A session of the first organization, as its server would create it. */
export function createSession(sandbox: Sandbox, customerType: CustomerType = 'individual'): IdentitySession {
  const organizationId = sandbox.world.organizations.rows[0]?.id ?? '';
  const input = { organizationId, customerType, idempotencyKey: null, ...sandbox.epoch.newSessionSecrets() };
  return sandbox.dispatch({ type: 'session.create', ...input }).session;
}

/** What a page's script is to tell, and to whom; undefined when it is to tell nothing. */
export function toldBy({
  text,
}: HostedPage): { origin: string; notice: Record<string, unknown> } | undefined {
  const attribute = (name: string) => new RegExp(` data-${name}="([^"]*)"`).exec(text)?.[1];
  const [origin, notice] = [attribute('origin'), attribute('notice')];
  if (origin === undefined || notice === undefined) return undefined;
  const plain = notice.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  return { origin, notice: JSON.parse(plain) as Record<string, unknown> };
}

import type { Charge } from '../../../src/core/world.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { draftCharge } from '../../../src/core/payments/payments.js';
import { appOrDefault } from '../../../src/core/identity/applications.js';
import type { ChargeInput } from '../../../src/core/world.js';

/** A charge of the default application. */
export function newCharge(sandbox: Sandbox, fields: Partial<ChargeInput> = {}): Charge {
  const app = appOrDefault(sandbox.world);
  const draft = draftCharge(app, { amountCents: 123_456, ...fields });
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

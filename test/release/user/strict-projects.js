// Programs of users, and the strict projects that compile them: each with other types around it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STRICT = {
  target: 'ES2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  noEmit: true,
};

/** Needs nothing but the language. An `@ts-expect-error` fails where a type has become `any`. */
const ANYWHERE = `
import { connectSandbox, createSandbox, SandboxError } from 'pix-sandbox';
import type { ConnectedSandbox, SandboxVerbs } from 'pix-sandbox';
import type { ChargeResource, ChargeView, ErrorCode, EventView, FaultView, TestSandbox } from 'pix-sandbox';
import type { WebhookEvent } from 'pix-sandbox';
import { createReceiver, matchers } from 'pix-sandbox/testing';
import type { SandboxMatchers } from 'pix-sandbox/testing';
import { diagnoseWebhook, signWebhook, verifyWebhook, webhookKey } from 'pix-sandbox/signing';

export async function main(): Promise<void> {
  await using sandbox: TestSandbox = await createSandbox({ seed: '7', port: false, kycAuto: { status: 'approved' } });
  await using receiver = createReceiver({ secret: sandbox.env.SANDBOX_WEBHOOK_SECRET });
  await using forwarding = sandbox.forwardTo(receiver);
  await forwarding.stop();
  const charge: ChargeView = await sandbox.charges.create({ code: 'order-1', amount: '10.00' });
  const [first] = await sandbox.charges.list({ status: 'SETTLED' });
  const { reached, events } = await sandbox.trigger('pix.settled', { charge: charge.id, until: 'ended' });
  const id: string | undefined = reached ? first?.id : events[0]?.id;
  const event = await receiver.waitFor('pix.settled');
  const paid: ChargeResource = event.data.object;
  await using fault = await sandbox.faults.add({ action: 'delay', on: 'call', delay: '2s' });
  const shown: FaultView = fault;
  const view: EventView = await sandbox.events.get(events[0]?.id ?? '');
  const due = (await sandbox.clock.next()).did?.kind;
  const session = await sandbox.kyc.create({ customer_type: 'business' });
  const result: { euid: string | null } = await sandbox.kyc.result(session.id);
  await sandbox.restore(await sandbox.snapshot());
  const answer = await sandbox.fetch('/v1/pix/charges', { method: 'POST' });
  const status: number = answer.status;
  // @ts-expect-error: an amount is a text.
  const amount: number = charge.amount;
  // @ts-expect-error: no such type of event.
  await sandbox.trigger('pix.paid');
  // @ts-expect-error: no such reason.
  await sandbox.charges.fail('order-1', { reason: 'ZZ99' });
  // @ts-expect-error: no such field.
  void view.deliveries[0]?.nothing;
  // @ts-expect-error: only one of the events has a destination.
  void event.data.object.destination;
  void [amount, id, paid, shown, due, result, status, matchers];
}

export async function connected(): Promise<void> {
  await using sandbox: ConnectedSandbox = await connectSandbox();
  await using forwarding = await sandbox.forwardTo('3000/webhooks', { retries: 'fast' });
  const now: Date = await sandbox.clock.now();
  const problems: string[] = await sandbox.ledger.problems();
  // @ts-expect-error: the sandbox is in another process.
  void sandbox.fetch;
  const both: SandboxVerbs[] = [sandbox, await createSandbox()];
  for (const { forwardTo } of both) await (await forwardTo('3000')).stop();
  void [now, problems, forwarding];
}

export function kindOf(error: unknown): ErrorCode | string {
  return error instanceof SandboxError ? (error.details[0]?.field ?? error.body.request_id) : 'INTERNAL';
}

export function amountOf(event: WebhookEvent): string {
  return event.type === 'pix.settled' ? event.data.object.fees.net_amount : event.data.object.amount;
}

export const key: Uint8Array = webhookKey('whsec_AAAA');
export const headers = signWebhook({ id: 'evt', timestampS: 0, body: new Uint8Array(2), secrets: 'whsec_AAAA' });
export const verdict = verifyWebhook({ headers, body: '', secrets: 'whsec_AAAA', nowS: 0 });
export const why: string | undefined = verdict.ok ? undefined : verdict.cause;
// @ts-expect-error: a verdict that holds has no cause.
export const cause: string = verdict.cause;
export const did: string | undefined = diagnoseWebhook({ headers, body: new Uint8Array() }, { secrets: [], nowS: 0 })[0]?.did;
declare const expectation: SandboxMatchers;
expectation.toHaveReceived('withdrawal.settled', { amount: '1.00' }, { times: 1 });
`;

/** Uses what the package shares with fetch. */
const WITH_FETCH = `
import { createSandbox } from 'pix-sandbox';
import { createReceiver } from 'pix-sandbox/testing';
import { verifyWebhook } from 'pix-sandbox/signing';

const app = { fetch: (request: Request): Response => new Response(request.url) };

export async function fetched(): Promise<Response> {
  const sandbox = await createSandbox();
  const receiver = createReceiver({ secret: [], onEvent: ({ id }) => id.length });
  sandbox.forwardTo(app);
  sandbox.forwardTo(new URL('http://localhost:3000/hook'), { retries: 'fast', events: ['pix.settled'] });
  const response: Response = await receiver.fetch(new Request('http://localhost'));
  verifyWebhook({ headers: response.headers, body: '', secrets: '', nowS: 0 });
  // @ts-expect-error: no such field.
  await sandbox.fetch('/v1', { methods: 'GET' });
  const global: typeof globalThis.fetch = sandbox.fetch;
  void global;
  return sandbox.fetch(new Request('http://localhost'), { method: 'POST', body: '{}' });
}
`;

const WITH_NODE = `
import { createServer } from 'node:http';
import { createReceiver } from 'pix-sandbox/testing';
import { verifyRequest, verifyWebhook, webhookKey } from 'pix-sandbox/signing';

const receiver = createReceiver({ secret: '' });
export const server = createServer(receiver.handler);
export const other = createServer((request, response) => {
  receiver.handler(request, response);
  verifyWebhook({ headers: request.headers, body: Buffer.from('{}'), secrets: '', nowS: 0 });
  const { method = '', url = '', headers } = request;
  verifyRequest({ method, target: url, headers, body: Buffer.from(''), secret: '', nowS: 0 });
});
export const key: string = Buffer.from(webhookKey('whsec_AAAA')).toString('hex');
`;

const MODULES = { node16: 'Node16', nodenext: 'NodeNext', bundler: 'ESNext' };
/** What a project has besides the language. */
const SURROUNDINGS = {
  nothing: { lib: ['ES2022'], types: [], programs: [ANYWHERE] },
  'the web': { lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [], programs: [ANYWHERE, WITH_FETCH] },
  '@types/node': { lib: ['ES2022'], types: ['node'], programs: [ANYWHERE, WITH_FETCH, WITH_NODE] },
};

/** Each module resolution in each of the surroundings; those of Node in both module systems. */
export const STRICT_PROJECTS = Object.keys(MODULES).flatMap((moduleResolution) =>
  Object.keys(SURROUNDINGS).flatMap((surroundings) => {
    const systems = moduleResolution === 'bundler' ? [false] : [false, true];
    return systems.map((isCommonJs) => ({ moduleResolution, surroundings, isCommonJs }));
  }),
);

/** @param {{ moduleResolution: string, surroundings: string, isCommonJs: boolean }} project */
export function nameOf({ moduleResolution, surroundings, isCommonJs }) {
  return `${moduleResolution}${isCommonJs ? ' in CommonJS' : ''} with ${surroundings}`;
}

/**
 * Writes a project into a folder with the package in its `node_modules`; returns the path of its tsconfig.json.
 * @param {string} folder
 * @param {{ moduleResolution: string, surroundings: string, isCommonJs: boolean }} project
 * @param {string} typeRoot the folder of `@types`
 */
export function writeStrictProject(folder, project, typeRoot) {
  const { moduleResolution, surroundings, isCommonJs } = project;
  const { programs, ...around } = SURROUNDINGS[surroundings];
  const home = join(folder, nameOf(project).replace('/', '-'));
  mkdirSync(home, { recursive: true });
  const files = programs.map((program, index) => {
    const file = `program-${index}.${isCommonJs ? 'cts' : 'ts'}`;
    writeFileSync(join(home, file), program);
    return file;
  });
  const module = MODULES[moduleResolution];
  const compilerOptions = { ...STRICT, ...around, module, moduleResolution, typeRoots: [typeRoot] };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return join(home, 'tsconfig.json');
}

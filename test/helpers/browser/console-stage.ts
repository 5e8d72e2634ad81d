import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { ControlClient, createFetchTransport } from '../../../src/client/control.js';
import type { SandboxServer } from '../../../src/http/server/start.js';
import { accessibilityProblems } from './browser.js';
import { withContext } from './identity-stage.js';

/** A control client of a sandbox in this process, as a command of a terminal uses it. */
export function clientOf({ url, fetch }: SandboxServer, token?: string): ControlClient {
  const transport = createFetchTransport(url, (target, init) => fetch(new Request(url + target, init), {}));
  return new ControlClient({ ...transport, token });
}

/**
 * What a browser did that it must not: requests to other hosts, reports of its policy, errors of the
 * script.
 */
export interface Offences {
  readonly requests: string[];
  readonly reports: string[];
  readonly errors: string[];
}

const WATCH = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  report(violatedDirective + ' ' + blockedURI))`;

/** A window that may ask the sandbox alone, and keeps what it did that it must not. */
export function withConsole<T>(
  browser: Browser,
  { url }: Pick<SandboxServer, 'url'>,
  options: BrowserContextOptions,
  use: (page: Page, offences: Offences, context: BrowserContext) => Promise<T>,
): Promise<T> {
  const offences: Offences = { requests: [], reports: [], errors: [] };
  return withContext(
    browser,
    { baseURL: url, reducedMotion: 'reduce', ...options },
    async (page, context) => {
      // Only looked at: the browser reaches this machine alone, and what is held up is also not kept.
      context.on('request', (request) => {
        if (!request.url().startsWith(`${url}/`)) offences.requests.push(request.url());
      });
      await context.exposeFunction('report', (said: string) => offences.reports.push(said));
      await context.addInitScript(WATCH);
      context.on('weberror', (error) => offences.errors.push(String(error.error())));
      return use(page, offences, context);
    },
  );
}

/** The list of stories. */
export const listOf = (page: Page): Locator => page.getByRole('list', { name: 'Live' });

/** The numbers of the entries that have a line on the screen, from the top. */
export function linesOf(page: Page): Promise<number[]> {
  return page
    .locator('.rows [data-seq]')
    .evaluateAll((lines: readonly { dataset: { seq: string }; offsetTop: number }[]) =>
      lines
        .toSorted((one, other) => one.offsetTop - other.offsetTop)
        .map(({ dataset }) => Number(dataset.seq)),
    );
}

/**
 * Goes to a page of the console and sees to it that all it asked for has come; within the console as its
 * links do.
 */
export async function openPage(page: Page, path: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(path);
  else {
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
  }
  await page.getByRole('heading', { level: 1 }).waitFor();
  // The screen is drawn in the next frame, and what it then lacks is asked for.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await page
    .getByText(/^(?:Loading|Carregando)…$/)
    .first()
    .waitFor({ state: 'detached' });
}

/** Closes the dialog, and sees to it that the page knows: until then it takes no keys. */
export async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
}

/** A console at work: presses by name, and knows which control requests changed something. */
export interface ConsoleStage {
  readonly page: Page;
  readonly detail: Locator;
  readonly dialog: Locator;
  /** Presses the button of this name; resolves to its control request, after the response. */
  readonly act: (name: string, within?: Locator) => Promise<string>;
  /** Presses a button that only asks or shows something. */
  readonly press: (name: string, within?: Locator) => Promise<void>;
  /** Resolves when this text, or this command as the same, is shown. */
  readonly shows: (text: string | RegExp, within?: Locator) => Promise<void>;
}

/** Uses a console on its own, which breaks no rule of its policy and in which axe finds nothing. */
export function onConsole(
  browser: Browser,
  server: Pick<SandboxServer, 'url'>,
  path: string,
  use: (stage: ConsoleStage) => Promise<void>,
): Promise<void> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  return withConsole(browser, server, { permissions }, async (page, offences) => {
    const changes: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() !== 'GET') changes.push(`${request.method()} ${pathname}`);
    });
    const press: ConsoleStage['press'] = (name, within = page.locator('body')) =>
      within.getByRole('button', { name, exact: true }).click();
    const act: ConsoleStage['act'] = async (name, within) => {
      const before = changes.length;
      const answered = page.waitForResponse((response) => response.request().method() !== 'GET');
      await Promise.all([answered, press(name, within)]);
      await (await answered).finished();
      const [change, ...others] = changes.slice(before);
      if (others.length > 0) throw new Error(`Expected one request of ${name}, got ${changes.join(', ')}.`);
      return change?.replace('/_sandbox/', '').replace(/[\da-f]{8}-[\da-f-]{27}/, ':id') ?? '';
    };
    const shows: ConsoleStage['shows'] = (text, within = page.locator('body')) =>
      within.getByText(text, { exact: true }).first().waitFor();
    await page.goto(path);
    await page.locator('h2, .live').first().waitFor();
    const detail = page.getByRole('region', { name: 'Details' });
    await use({ page, detail, dialog: page.getByRole('dialog'), act, press, shows });
    const problems = await accessibilityProblems(page);
    const found = [...problems, ...offences.requests, ...offences.reports, ...offences.errors];
    if (found.length > 0) throw new Error(found.join('\n'));
  });
}

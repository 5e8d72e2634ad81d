import type { Child } from 'hono/jsx';
import { useLayoutEffect, useState } from 'hono/jsx/dom';
import type { SandboxError } from '../../client/control.js';
import { readCheck, readStatus } from '../model/reads.js';
import type { Section } from '../model/routes.js';
import { SECTIONS, sectionPath } from '../model/routes.js';
import { CheckPage } from './check.js';
import { ClockBar } from './clock.js';
import { Detail } from './detail.js';
import { Dialogs } from './dialogs.js';
import { EndpointsPage } from './endpoints.js';
import { FaultsPage } from './faults.js';
import { IdentityPage } from './identity.js';
import { LedgerPage, PaymentsPage } from './lists.js';
import { Live } from './live.js';
import { Button, Command, Link, Problem } from './parts.js';
import { SavedPage } from './saved.js';
import { ScenariosPage } from './scenarios.js';
import { model, token, words } from './screen.js';
import { SetupPage } from './setup.js';
import { TimePage } from './time.js';

const PAGES: Readonly<Record<Section, () => Child>> = {
  live: Live,
  charges: () => <PaymentsPage key="charge" payment="charge" />,
  withdrawals: () => <PaymentsPage key="withdrawal" payment="withdrawal" />,
  ledger: LedgerPage,
  endpoints: EndpointsPage,
  faults: FaultsPage,
  identity: IdentityPage,
  time: TimePage,
  saved: SavedPage,
  scenarios: ScenariosPage,
  check: CheckPage,
  setup: SetupPage,
};

/** The whole screen; `onReady` receives the function that draws it again. */
export function App({ onReady }: { onReady: (draw: () => void) => void }) {
  const [, setDrawn] = useState(0);
  onReady(() => setDrawn((drawn) => drawn + 1));
  useLayoutEffect(() => {
    model.resources.sweep();
    if (model.isFocusDue) {
      model.isFocusDue = false;
      const line = document.querySelector<HTMLElement>(`[data-seq="${model.cursor}"] .line`);
      line?.focus({ preventScroll: true });
    }
    if (model.isSearchDue) {
      model.isSearchDue = false;
      document.querySelector<HTMLElement>('input[type=search]')?.focus();
    }
  });
  const { route, refused } = model;
  if (refused !== undefined) return <TokenForm problem={refused} />;
  const Page = PAGES[route.section];
  const failure = readStatus(model).value?.data?.failure ?? null;
  return (
    <div class={route.detail === undefined ? 'frame' : 'frame with-detail'}>
      <a class="skip" href="#list">
        {words.skip}
      </a>
      <ClockBar />
      <Sections />
      <main>
        <div id="list">
          {model.isConnected ? null : <Problem>{words.disconnected}</Problem>}
          {failure === null ? null : <Problem>{words.notSaved(failure)}</Problem>}
          <Page />
        </div>
        <Detail />
      </main>
      <Notice />
      <Dialogs />
    </div>
  );
}

function Sections() {
  const current = model.route.section;
  const hasReport = (readCheck(model).value?.report ?? null) !== null;
  const shown = SECTIONS.filter((section) => section !== 'check' || hasReport || current === section);
  return (
    <nav aria-label={words.navigation} class="sections">
      <ul>
        {shown.map((section) => (
          <li key={section}>
            <Link to={sectionPath(section)} current={current === section ? 'page' : undefined}>
              {words.sections[section]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** What was just done, and the command that does the same. */
function Notice() {
  const { notice } = model;
  return (
    <div class="notice" role="status">
      {notice === undefined ? null : (
        <div class={notice.isError ? 'said bad' : 'said'}>
          <p>
            {notice.text} {notice.hint}
          </p>
          {notice.command === undefined ? null : (
            <p class="command">
              {words.sameCommand} <Command text={`npx sandbox ${notice.command}`} />
            </p>
          )}
          <Button kind="quiet" label={words.close} onClick={() => model.say(undefined)} />
        </div>
      )}
    </div>
  );
}

/** Shown instead of everything where the sandbox requires a control token. */
function TokenForm({ problem }: { problem: SandboxError }) {
  const send = (event: Event) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem('token');
    token.store((field as HTMLInputElement).value);
    location.reload();
  };
  return (
    <main class="alone">
      <h1>{words.token.title}</h1>
      <p>{words.token.text}</p>
      <p class="problem">{problem.body.message}</p>
      <form onSubmit={send}>
        <label>
          {words.token.label} <input name="token" type="password" autocomplete="off" required />
        </label>
        <button type="submit">{words.token.send}</button>
      </form>
    </main>
  );
}

import { memo, useLayoutEffect, useState } from 'hono/jsx/dom';
import { ClockBar } from '../clock/clock-bar.js';
import { Detail } from '../detail/detail.js';
import { Live } from '../live/live.js';
import type { Console } from '../model/console.js';
import type { Section } from '../model/routes.js';
import { SECTIONS, sectionPath } from '../model/routes.js';
import { readCheck } from '../pages/check/check.js';
import { readStatus } from '../pages/endpoints/status.js';
import { PAGES } from '../pages/pages.js';
import { Dialogs } from './dialogs.js';
import { Link } from './link.js';
import { NoticeLine } from './notice.js';
import { TokenForm } from './token-form.js';

/** The whole screen, drawn from the model; `onReady` gets the function that draws it again. */
export function App({ model, onReady }: { model: Console; onReady: (draw: () => void) => void }) {
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
  const { words, route, refused } = model;
  if (refused !== undefined) return <TokenForm model={model} problem={refused} />;
  const Page = PAGES[route.section];
  const hasReport = (readCheck(model).value?.report ?? null) !== null;
  const failure = readStatus(model).value?.data?.failure ?? null;
  const isOpen = route.detail !== undefined;
  return (
    <div class={isOpen ? 'frame with-detail' : 'frame'}>
      <a class="skip" href="#list">
        {words.skip}
      </a>
      <ClockBar model={model} />
      <Sections model={model} current={route.section} hasReport={hasReport} />
      <main>
        <div id="list">
          {model.isConnected ? null : (
            <p class="problem" role="alert">
              {words.disconnected}
            </p>
          )}
          {failure === null ? null : (
            <p class="problem" role="alert">
              {words.notSaved(failure)}
            </p>
          )}
          {Page === undefined ? <Live model={model} /> : <Page model={model} />}
        </div>
        <Detail model={model} />
      </main>
      <NoticeLine model={model} />
      <Dialogs model={model} />
    </div>
  );
}

/** Drawn again when another section is shown. */
const Sections = memo(function Sections({
  model,
  current,
  hasReport,
}: {
  model: Console;
  current: Section;
  hasReport: boolean;
}) {
  const { words } = model;
  return (
    <nav aria-label={words.navigation} class="sections">
      <ul>
        {SECTIONS.filter((section) => section !== 'check' || hasReport || current === section).map(
          (section) => (
            <li key={section}>
              <Link
                model={model}
                to={sectionPath(section)}
                current={current === section ? 'page' : undefined}
              >
                {words.sections[section]}
              </Link>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
});

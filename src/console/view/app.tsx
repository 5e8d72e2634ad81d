import type { Child } from 'hono/jsx';
import { useLayoutEffect, useState } from 'hono/jsx/dom';
import type { SandboxError } from '../../client/control.js';
import { RETRY_HOURS } from '../../contract/limits.js';
import { formatDuration } from '../../contract/time.js';
import type { PaymentKind } from '../../contract/transitions.js';
import { type Action, clockActions, TRIGGER_PRESETS } from '../model/actions.js';
import { type DialogName, formatPace } from '../model/console.js';
import { type FieldChoice, createPaymentForm, createReplayForm, createTriggerForm } from '../model/forms.js';
import { formatDueItem } from '../model/sentences.js';
import { type Section, getSectionPath, SECTIONS } from '../model/routes.js';
import { consoleTexts } from '../words.js';
import { Detail } from './details.js';
import { ActionForm } from './form.js';
import { areKeysEnabled, NAVIGATION_KEYS, KEY_BINDINGS, toggleKeys } from './keys.js';
import { LivePage } from './live.js';
import { EndpointsPage, FaultsPage, IdentityPage } from './pages.js';
import {
  renderActionButton,
  listAppChoices,
  renderButton,
  renderCommand,
  renderFaint,
  renderLink,
  renderNamedValues,
  renderPresets,
  renderProblem,
  renderSelect,
} from './parts.js';
import { LedgerPage, PaymentsPage } from './payments.js';
import { model, tokenStore } from './screen.js';
import { CheckPage, SavedPage, ScenariosPage, SetupPage, TimePage } from './tools.js';

const PAGES: Readonly<Record<Section, () => Child>> = {
  live: LivePage,
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

/** Renders the entire screen. `onReady` receives the function that renders the screen again. */
export function ConsoleApp({ onReady }: { onReady: (draw: () => void) => void }) {
  const [, setDrawn] = useState(0);
  onReady(() => setDrawn((drawn) => drawn + 1));
  useLayoutEffect(() => {
    model.resources.removeUnused();
    const line = `[data-seq="${model.cursor}"] .line`;
    const due = { list: line, filter: 'input[type=search]' }[model.focusDue ?? 'list'];
    if (model.focusDue) document.querySelector<HTMLElement>(due)?.focus({ preventScroll: true });
    model.focusDue = undefined;
  });
  const { route, refused } = model;
  if (refused !== undefined) return <TokenForm error={refused} />;
  const Page = PAGES[route.section];
  const failure = model.resources.get('status').value?.data?.failure ?? null;
  return (
    <div class={route.detail === undefined ? 'frame' : 'frame with-detail'}>
      <a class="skip" href="#list">
        {consoleTexts.skip}
      </a>
      <ClockBar />
      <Sections />
      <main>
        <div id="list">
          <div class="page">
            {model.isConnected ? null : renderProblem(consoleTexts.disconnected)}
            {failure === null ? null : renderProblem(consoleTexts.notSaved(failure))}
            {route.section === 'live' ? null : <h2>{consoleTexts.sections[route.section]}</h2>}
            <Page />
          </div>
        </div>
        <Detail />
      </main>
      <Notice />
      <Dialogs />
    </div>
  );
}

const SPEEDS = [1, 10, 60, 3600];
const DUE_SHOWN = 100;

/** Shows the sandbox time, scheduled items, and clock buttons. Always visible. */
function ClockBar() {
  const { clock: texts } = consoleTexts;
  const view = model.clock();
  const { rate = 1, advancing = false } = view ?? {};
  const due = model.resources.get('agenda', { limit: DUE_SHOWN }).value?.due ?? [];
  const count = due.length < DUE_SHOWN ? String(due.length) : `${DUE_SHOWN}+`;
  const speeds = rate === 0 || SPEEDS.includes(rate) ? SPEEDS : [...SPEEDS, rate];
  const move = (label: string, action: Action, shortcut?: string) =>
    renderActionButton(label, action, { disabled: advancing, shortcut });
  const [next] = due;
  const within = (at: string) => {
    const ms = Date.parse(at) - (view === undefined ? 0 : model.clockNow(view));
    return ms < 1000 ? consoleTexts.now : texts.within(formatDuration(Math.round(ms / 1000) * 1000));
  };
  const choices = speeds.map((speed): FieldChoice => [String(speed), `${speed}×`]);
  const setSpeed = (speed: string) =>
    void model.act(
      speed === '1' ? clockActions.run : clockActions.speed(Number(speed)),
      `${texts.speed} ${speed}×`,
    );
  return (
    <section class="clock" aria-label={texts.region} aria-busy={advancing}>
      <span
        class={model.isConnected ? 'light on' : 'light'}
        title={consoleTexts.connected}
        aria-hidden="true"
      />
      <h1>{consoleTexts.title}</h1>
      <p class="now">
        <time>{view === undefined ? '' : consoleTexts.instant(model.clockNow(view))}</time>
        <span class={advancing || rate === 0 ? 'pace waiting' : 'pace'}>{formatPace(view)}</span>
      </p>
      <div class="buttons">
        {move(texts.next, clockActions.next)}
        {move('+1 h', clockActions.advance('1h'))}
        {move(`+${RETRY_HOURS} h`, clockActions.retries)}
        {move(rate === 0 ? texts.run : texts.freeze, clockActions.freezeOrRun(rate), 'f')}
        {renderSelect(texts.speed, choices, String(rate === 0 ? 1 : rate), setSpeed)}
      </div>
      <p class="due">
        {next === undefined
          ? null
          : renderFaint(`${texts.nextDue}: ${formatDueItem(next)}, ${within(next.at)}`)}
        {renderLink('/time', due.length === 0 ? texts.nothingDue : texts.due(count))}
      </p>
    </section>
  );
}

/** Renders the navigation. Phones show the first pages and a menu of all pages. */
function Sections() {
  const [isOpen, setOpen] = useState(false);
  const { section: current } = model.route;
  const hasReport = (model.resources.get('check').value?.report ?? null) !== null;
  const shown = SECTIONS.filter((section) => section !== 'check' || hasReport || current === section);
  return (
    <nav aria-label={consoleTexts.navigation} class={isOpen ? 'sections open' : 'sections'}>
      <ul onClick={() => setOpen(false)}>
        {shown.map((section) => (
          <li key={section}>
            {renderLink(getSectionPath(section), consoleTexts.sections[section], {
              isCurrent: current === section,
            })}
          </li>
        ))}
        <li class="more">
          <button
            type="button"
            aria-expanded={isOpen ? 'true' : 'false'}
            onClick={(event: Event) => {
              event.stopPropagation();
              setOpen(!isOpen);
            }}
          >
            {consoleTexts.more}
          </button>
        </li>
      </ul>
    </nav>
  );
}

function Notice() {
  const { notice } = model;
  return (
    <div class="notice" role="status">
      {notice === undefined ? null : (
        <div class={notice.isError === true ? 'said bad' : 'said'}>
          <p>
            {notice.text} {notice.hint}
          </p>
          {notice.command === undefined
            ? null
            : renderCommand(`npx sandbox ${notice.command}`, consoleTexts.sameCommand)}
          {renderButton(consoleTexts.close, () => model.notify(undefined), { kind: 'quiet' })}
        </div>
      )}
    </div>
  );
}

/** Replaces the screen if the sandbox requires a control token. */
function TokenForm({ error }: { error: SandboxError }) {
  const send = (event: Event) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem('token');
    tokenStore.store((field as HTMLInputElement).value);
    location.reload();
  };
  return (
    <main class="alone">
      <h1>{consoleTexts.token.title}</h1>
      <p>{consoleTexts.token.text}</p>
      <p class="problem">{error.body.message}</p>
      <form onSubmit={send}>
        <label>
          {consoleTexts.token.label} <input name="token" type="password" autocomplete="off" required />
        </label>{' '}
        <button type="submit">{consoleTexts.token.send}</button>
      </form>
    </main>
  );
}

type DialogContent = readonly [title: string, content: Child];

const DIALOGS: Readonly<Record<DialogName, () => DialogContent>> = {
  trigger: () => [
    consoleTexts.trigger.title,
    [
      renderPresets(TRIGGER_PRESETS, consoleTexts.trigger.presets, () => model.open(undefined)),
      <ActionForm form={createTriggerForm(listAppChoices(), codesOf)} onDone={closeDialog} />,
    ],
  ],
  keys: keysDialog,
  replay: replayDialog,
  charge: () => paymentDialog('charge'),
  withdrawal: () => paymentDialog('withdrawal'),
  confirm: confirmDialog,
};

/** Shows a modal dialog. Escape and the close button close the dialog and restore the focus. */
function Dialogs() {
  if (model.dialog === undefined) return null;
  const [title, content] = DIALOGS[model.dialog]();
  // The element is not in the document yet when its ref is set.
  const show = (dialog: HTMLDialogElement | null) =>
    queueMicrotask(() => {
      if (dialog?.isConnected === true && !dialog.open) dialog.showModal();
    });
  return (
    <dialog key={model.dialog} ref={show} aria-label={title} onClose={() => model.open(undefined)}>
      <h2>{title}</h2>
      {content}
      <form method="dialog">
        <button type="submit" class="quiet" autofocus={model.dialog === 'keys'}>
          {consoleTexts.close}
        </button>
      </form>
    </dialog>
  );
}

function closeDialog(_: unknown, form: HTMLFormElement): void {
  form.closest('dialog')?.close();
}

function paymentDialog(payment: PaymentKind): DialogContent {
  const onDone = ({ id }: { readonly id: string }, form: HTMLFormElement) => {
    closeDialog(id, form);
    model.go(`/${payment}s/${id}`);
  };
  return [
    consoleTexts.payments.add[payment],
    <ActionForm form={createPaymentForm(payment, listAppChoices())} onDone={onDone} />,
  ];
}

function replayDialog(): DialogContent {
  const id = model.route.detail?.id ?? '';
  const body = model.resources.get('calls/:id', { id }).value?.request?.body ?? '';
  const onDone = (sent: { readonly id: string }, form: HTMLFormElement) => {
    closeDialog(id, form);
    model.go(`/calls/${sent.id}#with-${id}`);
  };
  return [consoleTexts.detail.edit, <ActionForm form={createReplayForm(id, body)} onDone={onDone} />];
}

function codesOf(subject: PaymentKind): string[] {
  const { value } = model.resources.get(`${subject}s` as 'charges', { limit: 50 });
  return value?.data.map(({ code }) => code) ?? [];
}

function confirmDialog(): DialogContent {
  const { text = '', label = '', confirm } = model.question ?? {};
  const press = () => {
    model.open(undefined);
    confirm?.();
  };
  return [label, [<p>{text}</p>, renderButton(label, press, { kind: 'danger' })]];
}

function keysDialog(): DialogContent {
  const { keys } = consoleTexts;
  const lines = [
    ...Object.entries(KEY_BINDINGS).map(([key, { name }]) => [key, keys.names[name]] as const),
    ['Enter', keys.names.open] as const,
    ['Esc', keys.names.close] as const,
    ...Object.entries(NAVIGATION_KEYS).map(
      ([key, to]) => [`g ${key}`, keys.names.go(consoleTexts.sections[to])] as const,
    ),
  ];
  return [
    keys.title,
    [renderNamedValues(lines), renderButton(areKeysEnabled() ? keys.off : keys.on, toggleKeys)],
  ];
}

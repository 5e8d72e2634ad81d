import type { Child } from 'hono/jsx';
import { useLayoutEffect, useState } from 'hono/jsx/dom';
import type { SandboxError } from '../../client/control.js';
import { RETRY_HOURS } from '../../contract/limits.js';
import type { PaymentKind } from '../../contract/transitions.js';
import { type Action, clock } from '../model/actions.js';
import { type DialogName, paceOf } from '../model/console.js';
import { type Choice, paymentForm, replayForm, triggerForm } from '../model/forms.js';
import { type Section, sectionPath, SECTIONS } from '../model/routes.js';
import { words } from '../words.js';
import { Detail } from './details.js';
import { Form } from './form.js';
import { areKeysOn, GO_KEYS, KEYS, toggleKeys } from './keys.js';
import { Live } from './live.js';
import { EndpointsPage, FaultsPage, IdentityPage } from './pages.js';
import { actionButton, apps, button, command, link, namedValues, problem, select } from './parts.js';
import { LedgerPage, PaymentsPage } from './payments.js';
import { model, token } from './screen.js';
import { CheckPage, SavedPage, ScenariosPage, SetupPage, TimePage } from './tools.js';

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
        {words.skip}
      </a>
      <ClockBar />
      <Sections />
      <main>
        <div id="list">
          {model.isConnected ? null : problem(words.disconnected)}
          {failure === null ? null : problem(words.notSaved(failure))}
          {route.section === 'live' ? null : <h2>{words.sections[route.section]}</h2>}
          <Page />
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

/** Sandbox time, what is due, and the buttons that move it; always in view. */
function ClockBar() {
  const { clock: texts } = words;
  const view = model.clock();
  const { rate = 1, advancing = false } = view ?? {};
  const due = model.resources.get('agenda', { limit: DUE_SHOWN }).value?.due ?? [];
  const count = due.length < DUE_SHOWN ? String(due.length) : `${DUE_SHOWN}+`;
  const speeds = rate === 0 || SPEEDS.includes(rate) ? SPEEDS : [...SPEEDS, rate];
  const move = (label: string, action: Action, shortcut?: string) =>
    actionButton(label, action, { disabled: advancing, shortcut });
  const choices = speeds.map((speed): Choice => [String(speed), `${speed}×`]);
  const setSpeed = (speed: string) =>
    void model.act(speed === '1' ? clock.run : clock.speed(Number(speed)), `${texts.speed} ${speed}×`);
  return (
    <section class="clock" aria-label={texts.region} aria-busy={advancing}>
      <span class={model.isConnected ? 'light on' : 'light'} title={words.connected} aria-hidden="true" />
      <h1>{words.title}</h1>
      <p>
        <time>{view === undefined ? '' : words.instant(model.clockNow(view))}</time>{' '}
        <span class={advancing ? 'waiting' : 'faint'}>{paceOf(view)}</span>
      </p>
      <div class="buttons">
        {move(texts.next, clock.next)}
        {move('+1 h', clock.advance('1h'))}
        {move(`+${RETRY_HOURS} h`, clock.retries)}
        {move(rate === 0 ? texts.run : texts.freeze, clock.freezeOrRun(rate), 'f')}
        {select(texts.speed, choices, String(rate === 0 ? 1 : rate), setSpeed)}
      </div>
      {link('/time', due.length === 0 ? texts.nothingDue : texts.due(count), { class: 'due' })}
    </section>
  );
}

/** The pages; a phone shows the first ones, and a menu of all. */
function Sections() {
  const [isOpen, setOpen] = useState(false);
  const { section: current } = model.route;
  const hasReport = (model.resources.get('check').value?.report ?? null) !== null;
  const shown = SECTIONS.filter((section) => section !== 'check' || hasReport || current === section);
  return (
    <nav aria-label={words.navigation} class={isOpen ? 'sections open' : 'sections'}>
      <ul onClick={() => setOpen(false)}>
        {shown.map((section) => (
          <li key={section}>
            {link(sectionPath(section), words.sections[section], { isCurrent: current === section })}
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
            {words.more}
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
          {notice.command === undefined ? null : command(`npx sandbox ${notice.command}`, words.sameCommand)}
          {button(words.close, () => model.say(undefined), { kind: 'quiet' })}
        </div>
      )}
    </div>
  );
}

/** Shown instead of everything where the sandbox requires a control token. */
function TokenForm({ error }: { error: SandboxError }) {
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
      <p class="problem">{error.body.message}</p>
      <form onSubmit={send}>
        <label>
          {words.token.label} <input name="token" type="password" autocomplete="off" required />
        </label>{' '}
        <button type="submit">{words.token.send}</button>
      </form>
    </main>
  );
}

type DialogContent = readonly [title: string, content: Child];

const DIALOGS: Readonly<Record<DialogName, () => DialogContent>> = {
  trigger: () => [words.trigger.title, <Form form={triggerForm(apps(), codesOf)} onDone={closeDialog} />],
  keys: keysDialog,
  replay: replayDialog,
  charge: () => paymentDialog('charge'),
  withdrawal: () => paymentDialog('withdrawal'),
  confirm: confirmDialog,
};

/** A dialog over the page: Escape and its button close it, and the focus goes back to where it was. */
function Dialogs() {
  if (model.dialog === undefined) return null;
  const [title, content] = DIALOGS[model.dialog]();
  // The element is not in the page yet when its ref is set.
  const show = (dialog: HTMLDialogElement | null) =>
    queueMicrotask(() => {
      if (dialog?.isConnected === true && !dialog.open) dialog.showModal();
    });
  return (
    <dialog key={model.dialog} ref={show} aria-label={title} onClose={() => model.open(undefined)}>
      <h2>{title}</h2>
      {content}
      <form method="dialog">
        <button type="submit" class="quiet">
          {words.close}
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
  return [words.payments.add[payment], <Form form={paymentForm(payment, apps())} onDone={onDone} />];
}

function replayDialog(): DialogContent {
  const id = model.route.detail?.id ?? '';
  const body = model.resources.get('calls/:id', { id }).value?.request?.body ?? '';
  const onDone = (sent: { readonly id: string }, form: HTMLFormElement) => {
    closeDialog(id, form);
    model.go(`/calls/${sent.id}#with-${id}`);
  };
  return [words.detail.edit, <Form form={replayForm(id, body)} onDone={onDone} />];
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
  return [label, [<p>{text}</p>, button(label, press, { kind: 'danger' })]];
}

function keysDialog(): DialogContent {
  const { keys } = words;
  const lines = [
    ...Object.entries(KEYS).map(([key, { name }]) => [key, keys.names[name]] as const),
    ['Enter', keys.names.open] as const,
    ['Esc', keys.names.close] as const,
    ...Object.entries(GO_KEYS).map(([key, to]) => [`g ${key}`, keys.names.go(words.sections[to])] as const),
  ];
  return [keys.title, [namedValues(lines), button(areKeysOn() ? keys.off : keys.on, toggleKeys)]];
}

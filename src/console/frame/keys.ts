import { clockActions } from '../clock/actions.js';
import { closeDetail } from '../detail/detail.js';
import { moveCursor, release } from '../live/live.js';
import type { Console } from '../model/console.js';
import type { Section } from '../model/routes.js';
import { closedPath, sectionPath } from '../model/routes.js';
import type { Words } from '../words/words.js';

/** What a key does that has one meaning. */
export type KeyName = Exclude<keyof Words['keys']['names'], 'go'>;

interface Key {
  readonly name: KeyName;
  readonly press: (model: Console) => void;
}

/** Single keys; they act on the page unless someone types into a field. */
export const KEYS: Readonly<Record<string, Key>> = {
  j: { name: 'down', press: (model) => moveCursor(model, 1) },
  k: { name: 'up', press: (model) => moveCursor(model, -1) },
  '/': { name: 'search', press: focusSearch },
  t: { name: 'trigger', press: (model) => model.open('trigger') },
  n: { name: 'next', press: (model) => void model.act(clockActions(model.words).next) },
  f: { name: 'freeze', press: freezeOrRun },
  p: { name: 'hold', press: release },
  r: { name: 'retry', press: () => press('[data-key=r]') },
  c: { name: 'curl', press: () => press('[data-key=c]') },
  '?': { name: 'help', press: (model) => model.open('keys') },
};

/** After `g`: where each letter goes. */
export const GO_KEYS: Readonly<Record<string, Section>> = {
  l: 'live',
  c: 'charges',
  w: 'withdrawals',
  b: 'ledger',
  e: 'endpoints',
  f: 'faults',
  i: 'identity',
  t: 'time',
  s: 'saved',
  n: 'scenarios',
  k: 'check',
  u: 'setup',
};

const STORED = 'pix-sandbox-keys';

/** Whether single keys do anything; people who speak to their computer turn them off (WCAG 2.1.4). */
export function areKeysOn(): boolean {
  return localStorage.getItem(STORED) !== 'off';
}

export function turnKeys(isOn: boolean): void {
  localStorage.setItem(STORED, isOn ? 'on' : 'off');
}

export function listenForKeys(model: Console): void {
  let isGoing = false;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || model.dialog !== undefined) return;
    if (model.refused !== undefined || model.isSearchDue) return;
    if (event.key === 'Escape') {
      if (model.route.detail !== undefined) closeDetail(model);
      return;
    }
    const target = event.target as HTMLElement;
    if (target.closest('input, select, textarea, [contenteditable]') !== null || !areKeysOn()) return;
    const section = isGoing && Object.hasOwn(GO_KEYS, event.key) ? GO_KEYS[event.key] : undefined;
    isGoing = event.key === 'g' && !isGoing;
    if (section !== undefined) {
      event.preventDefault();
      model.go(sectionPath(section));
      return;
    }
    const key = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
    if (key === undefined) return;
    event.preventDefault();
    key.press(model);
  });
}

function freezeOrRun(model: Console): void {
  const rate = model.clockKnown()?.rate ?? 1;
  void model.act(clockActions(model.words).freezeOrRun(rate));
}

/** Goes to the live list's filter where the page has none; on a phone, what is open covers the page's. */
function focusSearch(model: Console): void {
  const field = document.querySelector<HTMLElement>('input[type=search]');
  field?.focus();
  if (field !== null && field === document.activeElement) return;
  model.isSearchDue = true;
  model.go(field === null ? sectionPath('live') : closedPath(model.route, location));
}

function press(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

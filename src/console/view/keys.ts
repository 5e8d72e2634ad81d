import { clockActions } from '../model/actions.js';
import { getClosedPath, type Section, getSectionPath } from '../model/routes.js';
import { consoleTexts } from '../words.js';
import { closeDetail } from './details.js';
import { moveCursor, toggleHold } from './live.js';
import { model } from './screen.js';

interface Key {
  readonly name: Exclude<keyof typeof consoleTexts.keys.names, 'go'>;
  readonly press: () => void;
}

/** Single-key shortcuts, ignored while typing into a field. */
export const KEY_BINDINGS: Readonly<Record<string, Key>> = {
  j: { name: 'down', press: () => moveCursor(1) },
  k: { name: 'up', press: () => moveCursor(-1) },
  '/': { name: 'search', press: focusSearch },
  t: { name: 'trigger', press: () => model.open('trigger') },
  n: { name: 'next', press: () => void model.act(clockActions.next, consoleTexts.clock.next) },
  f: { name: 'freeze', press: () => click('.clock [data-key=f]') },
  p: { name: 'hold', press: toggleHold },
  r: { name: 'retry', press: () => click('[data-key=r]') },
  c: { name: 'curl', press: () => click('[data-key=c]') },
  '?': { name: 'help', press: () => model.open('keys') },
};

export const NAVIGATION_KEYS: Readonly<Record<string, Section>> = {
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

/** Returns true if single-key shortcuts are on. Users of speech input turn them off (WCAG 2.1.4). */
export function areKeysEnabled(): boolean {
  return localStorage.getItem(STORED) !== 'off';
}

export function toggleKeys(): void {
  localStorage.setItem(STORED, areKeysEnabled() ? 'off' : 'on');
  model.changed();
}

export function listenForKeys(): void {
  let isGoing = false;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || model.dialog !== undefined) return;
    if (model.refused !== undefined || model.focusDue === 'filter') return;
    if (event.key === 'Escape') {
      if (model.route.detail !== undefined) closeDetail();
      return;
    }
    const target = event.target as HTMLElement;
    if (target.closest('input, select, textarea, [contenteditable]') !== null || !areKeysEnabled()) return;
    const section =
      isGoing && Object.hasOwn(NAVIGATION_KEYS, event.key) ? NAVIGATION_KEYS[event.key] : undefined;
    isGoing = event.key === 'g' && !isGoing;
    const press = Object.hasOwn(KEY_BINDINGS, event.key) ? KEY_BINDINGS[event.key]?.press : undefined;
    if (section === undefined && press === undefined) return;
    event.preventDefault();
    if (section === undefined) press?.();
    else model.go(getSectionPath(section));
  });
}

/**
 * Focuses the page's filter. Opens the live list if the page has no filter, or closes a detail that covers
 * the filter.
 */
function focusSearch(): void {
  const field = document.querySelector<HTMLElement>('input[type=search]');
  field?.focus();
  if (field !== null && field === document.activeElement) return;
  model.focusDue = 'filter';
  model.go(field === null ? getSectionPath('live') : getClosedPath(model.route, location));
}

function click(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

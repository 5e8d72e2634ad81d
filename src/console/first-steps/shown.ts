import type { Console } from '../model/console.js';
import { hasDeliveries } from './progress.js';

const STORED = 'pix-sandbox-first-steps';

/** Whether the first steps are shown: at the beginning, while the test receiver is on, and where they were asked for. */
export function areStepsShown({ stories }: Console, isReceiverOn: boolean): boolean {
  const stored = localStorage.getItem(STORED);
  if (stored === 'done') return false;
  return stored === 'open' || isReceiverOn || !hasDeliveries(stories);
}

/** Hides the first steps until they are opened again. */
export function dismissSteps(model: Console): void {
  localStorage.setItem(STORED, 'done');
  model.changed();
}

/** Shows the first steps on the live page. */
export function openSteps(model: Console): void {
  localStorage.setItem(STORED, 'open');
  model.go('/');
}

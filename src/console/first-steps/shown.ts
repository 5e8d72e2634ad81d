import type { Console } from '../model/console.js';

const STORED = 'pix-sandbox-first-steps';
/** What the browser keeps, read once: each drawing asks. */
let kept: string | null | undefined;

function keep(value: 'done' | 'open'): void {
  kept = value;
  localStorage.setItem(STORED, value);
}

/** Whether the first steps are shown: at the beginning, while the test receiver is on, and where they were asked for. */
export function areStepsShown({ stories }: Console, isReceiverOn: boolean): boolean {
  if (kept === undefined) kept = localStorage.getItem(STORED);
  if (kept === 'done') return false;
  return kept === 'open' || isReceiverOn || stories.deliveries.size === 0;
}

/** Hides the first steps until they are opened again. */
export function dismissSteps(model: Console): void {
  keep('done');
  model.changed();
}

/** Shows the first steps on the live page. */
export function openSteps(model: Console): void {
  keep('open');
  model.go('/');
}

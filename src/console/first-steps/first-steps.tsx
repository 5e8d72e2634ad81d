import type { Console } from '../model/console.js';

/** Leads from an empty console to a signed delivery, its failure, its retries and the dead letter. */
export function FirstSteps({ model }: { model: Console }) {
  void model;
  return null;
}

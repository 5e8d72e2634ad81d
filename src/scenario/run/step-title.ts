import type { Step } from '../format/steps.js';
import { verbOf } from '../format/steps.js';

/** A step in a few words, as results name it. */
export function stepTitle(step: Step): string {
  const verb = verbOf(step);
  return `${verb} ${about(verb, step)}`.trimEnd();
}

function about(verb: string, step: Step): string {
  const { call, trigger, fault, advance } = step;
  if (call !== undefined) return `${call.method} ${call.path}`;
  if (trigger !== undefined) return typeof trigger === 'string' ? trigger : trigger.type;
  if (fault !== undefined) return typeof fault === 'string' ? fault : fault.action;
  if (advance !== undefined) return advance;
  const taken: unknown = step[verb as keyof Step];
  return typeof taken === 'object' && taken !== null ? Object.keys(taken).join(', ') : '';
}

import { createHttpSender } from '../../../delivery/http-attempt.js';
import type { Forward } from '../../../scenario/run/receiver.js';
import { parseForwardTarget } from '../listen/forward-target.js';

/** Forwards what a scenario's receiver accepts to an application, whose answer then counts. */
export function forwardTo(text: string): { readonly forward: Forward; readonly close: () => void } {
  const { href: url } = parseForwardTarget(text);
  const sender = createHttpSender({ policy: { routes: new Map(), allowLocalEndpoints: true } });
  return {
    forward: ({ headers, body, timeoutMs }) => sender.send({ url, headers: { ...headers }, body, timeoutMs }),
    close: () => sender.close(),
  };
}

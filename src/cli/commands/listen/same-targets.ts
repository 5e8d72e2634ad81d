import { withoutUrlSecrets } from '../../../text/redaction.js';
import { isLoopbackName, parseUrl } from '../../../text/urls.js';
import { listenerNameOf } from '../../../text/listener-name.js';
import type { InvocationOf } from '../../program/declaration.js';
import { withRunningSandbox } from '../../sandbox/find-sandbox.js';
import { listenerTarget } from '../../../text/listener-name.js';
import { noteSentence } from '../../terminal/text.js';
import type { listen } from './command.js';
import type { ListenerPlan } from './plan.js';

/** Warns of other connected listeners that forward some of the same events to the same target. */
export async function noteSameTargets(
  { io, options }: InvocationOf<typeof listen>,
  plans: readonly ListenerPlan[],
): Promise<void> {
  const { app, url } = options;
  const found = await withRunningSandbox({ io, options: { url } }, (client) =>
    client.get('endpoints', { app }),
  );
  for (const { name, target, events } of plans) {
    if (target === undefined) continue;
    const place = withoutUrlSecrets(target.href);
    for (const other of found?.data ?? []) {
      const otherName = listenerNameOf(other.url);
      const isSame =
        other.connected && otherName !== name && events.some((type) => other.events.includes(type));
      const forwarding = listenerTarget(other.description);
      if (!isSame || forwarding === undefined || placeOf(forwarding.target) !== placeOf(place)) continue;
      const who = forwarding.by === 'start' ? '`sandbox start`' : 'Another `listen`';
      noteSentence(
        io,
        `${io.colour.yellow('warning')} ${who} forwards to ${place} already (listener ${otherName}): what both receive arrives there twice.`,
      );
    }
  }
}

/** A target as it is compared: this machine has several names. */
function placeOf(target: string): string {
  const url = parseUrl(target);
  if (url === undefined) return target;
  if (isLoopbackName(url.hostname)) url.hostname = 'localhost';
  return url.href;
}

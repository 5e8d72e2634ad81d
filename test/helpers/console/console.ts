import { ControlClient, fetchTransport } from '../../../src/client/control.js';
import { Stories } from '../../../src/console/model/stories.js';
import type { createSandbox } from '../../../src/testing/create-sandbox.js';

/** A client of the control API of a sandbox in this process. */
export function clientOf(sandbox: Pick<Awaited<ReturnType<typeof createSandbox>>, 'fetch' | 'url'>) {
  return new ControlClient(fetchTransport(sandbox.url, (target, init) => sandbox.fetch(target, init)));
}

/** The stories of a sandbox as they are now. */
export async function storiesOf(client: ControlClient): Promise<Stories> {
  const stories = new Stories();
  for (const entry of (await client.get('timeline', { limit: 1000 })).data) stories.add(entry);
  return stories;
}

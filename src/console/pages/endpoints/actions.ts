import type { EventType } from '../../../contract/events.js';
import type { Action } from '../../model/actions.js';
import { commandLine } from '../../model/command.js';
import type { Words } from '../../words/words.js';

/** A new endpoint; without events it takes all of them. */
export interface NewEndpoint {
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description: string | undefined;
  readonly app: string | undefined;
}

/** What can be done with endpoints; a new secret is kept for the page that shows it. */
export function endpointActions({ endpoints: words }: Words, secrets: Map<string, string>) {
  return {
    create: ({ url, events, description, app }: NewEndpoint, all: readonly EventType[]): Action => ({
      done: words.created(url),
      command: commandLine('endpoints create', [url], { events: events.join(','), description, app }),
      run: async (client) => {
        const body = { url, description, events: events.length === 0 ? all : events };
        const { id, secret } = await client.post('endpoints', { app, body });
        secrets.set(id, secret);
      },
    }),
    rotate: (id: string): Action => ({
      done: words.rotated,
      command: commandLine('endpoints rotate', [id]),
      run: async (client) => {
        const { secret } = await client.post('endpoints/:id/rotate-secret', { id });
        secrets.set(id, secret);
      },
    }),
    disable: (id: string): Action => ({
      done: words.disabled,
      command: commandLine('endpoints disable', [id]),
      run: (client) => client.post('endpoints/:id/disable', { id }),
    }),
    enable: (id: string): Action => ({
      done: words.enabled,
      command: commandLine('endpoints enable', [id]),
      run: (client) => client.post('endpoints/:id/enable', { id }),
    }),
    delete: (id: string): Action => ({
      done: words.deleted,
      command: commandLine('endpoints delete', [id]),
      run: (client) => client.delete('endpoints/:id', { id }),
    }),
    retryFailed: (endpoint: string): Action => ({
      done: words.retried,
      command: commandLine('deliveries retry', [], { failed: true, endpoint }),
      run: (client) => client.post('deliveries/retry', { body: { status: 'FAILED', endpoint } }),
    }),
    pause: {
      done: words.paused,
      command: 'deliveries pause',
      run: (client) => client.post('deliveries/pause'),
    } as Action,
    resume: {
      done: words.resumed,
      command: 'deliveries resume',
      run: (client) => client.post('deliveries/resume'),
    } as Action,
  };
}

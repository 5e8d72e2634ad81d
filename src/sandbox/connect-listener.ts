import type { Command, CommandType, ResultOf } from '../core/apply.js';
import type { ConnectedListener, ListenerInput } from '../core/webhooks/endpoints.js';
import { findListener } from '../core/webhooks/endpoints.js';
import type { World } from '../core/world.js';
import type { ListenerAttempt, ListenerHub } from '../delivery/listener-hub.js';

/** The parts of a sandbox that a listener connects to. */
export interface ListenerHost {
  readonly world: World;
  readonly listeners: ListenerHub;
  readonly dispatch: <Type extends CommandType>(command: Command<Type>) => ResultOf<Type>;
}

export interface ListenerSide {
  /** Called once it is connected, before any attempt. */
  readonly onConnected: (connected: ConnectedListener) => void;
  readonly send: (attempt: ListenerAttempt) => void;
}

/** A listener's connection to the sandbox. */
export interface ListenerConnection {
  readonly endpointId: string;
  /** Ends the connection, so that the listener is away unless another connection has taken its place. */
  readonly end: () => void;
  /** Ends the connection to a world that was replaced. */
  readonly forget: () => void;
}

/** Connects a listener; what was held for it goes out at once. Throws the core's Refusal. */
export function connectListener(
  sandbox: ListenerHost,
  appId: string,
  listener: ListenerInput,
  { onConnected, send }: ListenerSide,
): ListenerConnection {
  const { listeners } = sandbox;
  // Held deliveries start within the command itself, before the listener knows that it is connected.
  const early: ListenerAttempt[] = [];
  let take = (attempt: ListenerAttempt): void => {
    early.push(attempt);
  };
  const attach = (id: string) => listeners.attach(id, (attempt) => take(attempt));
  const earlier = findListener(sandbox.world, appId, listener.name);
  const detachEarly = earlier === undefined || earlier.connected ? undefined : attach(earlier.id);
  const connected = connect();
  const { id: endpointId } = connected.endpoint;
  const forget = detachEarly ?? attach(endpointId);
  onConnected(connected);
  take = send;
  for (const attempt of early) send(attempt);
  return {
    endpointId,
    forget,
    end: () => {
      if (forget() && sandbox.world.endpoints.has(endpointId)) {
        sandbox.dispatch({ type: 'listener.lose', endpointId });
      }
    },
  };

  function connect(): ConnectedListener {
    try {
      return sandbox.dispatch({ type: 'listener.connect', appId, listener });
    } catch (error) {
      detachEarly?.();
      throw error;
    }
  }
}

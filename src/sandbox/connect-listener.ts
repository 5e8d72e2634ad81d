import type { Command, CommandType, ResultOf } from '../core/apply.js';
import { findAppOrDefault } from '../core/identity/applications.js';
import type { ConnectedListener, ListenerInput } from '../core/webhooks/endpoints.js';
import { findListener } from '../core/webhooks/endpoints.js';
import type { Endpoint, World } from '../core/world.js';
import type { ListenerAttempt, ListenerHub } from '../delivery/listener-hub.js';
import type { Credentials } from './credentials.js';

/** Sandbox interface for listeners. */
export interface ListenerHost {
  readonly world: World;
  readonly listeners: ListenerHub;
  readonly credentials: Credentials;
  readonly onReset: (hook: (isFresh: boolean) => void) => () => void;
  readonly dispatch: <Type extends CommandType>(command: Command<Type>) => ResultOf<Type>;
}

interface ListenerSide {
  /**
   * Called after connecting and before the first attempt. `isFresh` is the `onReset` hook's value on
   * reconnection.
   */
  readonly onConnected?: (connected: ConnectedListener, isFresh?: boolean) => void;
  readonly send: (attempt: ListenerAttempt, endpoint: Endpoint) => void;
}

/** A listener's connection to the sandbox. */
export interface ConnectedListenerHost {
  readonly endpointId: string;
  /** Closes the connection and disconnects the listener, unless a newer connection exists. */
  readonly end: () => void;
  /** Closes the connection to a replaced world without dispatching a command. */
  readonly forget: () => void;
}

/**
 * Connects a listener and sends its held deliveries immediately. Throws a Refusal if the core rejects the
 * listener.
 */
export function attachListener(
  sandbox: ListenerHost,
  appId: string,
  listener: ListenerInput,
  { onConnected, send }: ListenerSide,
  isFresh?: boolean,
): ConnectedListenerHost {
  const { listeners } = sandbox;
  // Buffer held deliveries, because the command starts them before `onConnected` is called.
  const early: ListenerAttempt[] = [];
  let forwardAttempt = (attempt: ListenerAttempt): void => {
    early.push(attempt);
  };
  const attach = (id: string) => listeners.attach(id, (attempt) => forwardAttempt(attempt));
  const earlier = findListener(sandbox.world, appId, listener.name);
  const detachEarly = earlier === undefined || earlier.connected ? undefined : attach(earlier.id);
  const connected = connect();
  const { endpoint } = connected;
  const { id: endpointId } = endpoint;
  const forget = detachEarly ?? attach(endpointId);
  onConnected?.(connected, isFresh);
  forwardAttempt = (attempt) => send(attempt, endpoint);
  for (const attempt of early) forwardAttempt(attempt);
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

/**
 * Connects a listener whose deliveries are signed with the environment block's secret, and reconnects it to
 * each new world. Uses the default application if a reset removed the listener's application.
 */
export function maintainConnection(
  sandbox: ListenerHost,
  listener: Omit<ListenerInput, 'secret'>,
  side: ListenerSide,
  appId?: string,
): ConnectedListenerHost {
  const connect = (settings: typeof listener, isFresh?: boolean) => {
    const { world, credentials } = sandbox;
    const app = findAppOrDefault(world, world.apps.byId.has(appId ?? '') ? appId : undefined);
    const input = { ...settings, secret: credentials.webhookSecret };
    return attachListener(sandbox, app.id, input, side, isFresh);
  };
  let connection = connect(listener);
  const removeHook = sandbox.onReset((isFresh) => {
    connection.forget();
    connection = connect({ ...listener, fresh: false }, isFresh);
  });
  return {
    get endpointId() {
      return connection.endpointId;
    },
    end: () => {
      removeHook();
      connection.end();
    },
    forget: () => {
      removeHook();
      connection.forget();
    },
  };
}

import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { InProcessRequest } from '../operation/in-process.js';
import type { GuardPolicy } from './guards.js';
import { guard } from './guards.js';
import type { Fetch } from './serve.js';

/** The server's end of a connection to no one: it takes what is written, and can be broken. */
class Wire extends Duplex {
  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
  }

  destroySoon(): void {
    this.destroy();
  }

  resetAndDestroy(): void {
    this.destroy();
  }
}

/**
 * Puts a request of our own before the guards, which may refuse it, and returns what hands it to the doors: they see what a socket
 * would have brought them, and can break the connection.
 */
export function admitTo(fetch: Fetch, guards: GuardPolicy) {
  return (request: InProcessRequest): (() => Promise<unknown>) => {
    const wire = new Wire() as unknown as Socket;
    const incoming = incomingOn(wire, request);
    const refusal = guard(incoming, guards);
    if (refusal !== undefined) throw refusal;
    const outgoing = new ServerResponse(incoming);
    outgoing.assignSocket(wire);
    const { method, target } = request;
    const asked = new Request(`http://sandbox.localhost${target}`, { headers: headersOf(request) });
    // The constructor takes no methods such as TRACE, and changes some.
    Object.defineProperty(asked, 'method', { value: method });
    return async () => {
      try {
        return await fetch(asked, { incoming, outgoing });
      } finally {
        wire.destroy();
      }
    };
  };
}

function headersOf({ headers }: InProcessRequest): Headers {
  return new Headers(headers.map(([name, value]): [string, string] => [name, value]));
}

function incomingOn(wire: Socket, request: InProcessRequest): IncomingMessage {
  const { method, target, headers, body } = request;
  const incoming = new IncomingMessage(wire);
  incoming.method = method;
  incoming.url = target;
  incoming.httpVersion = '1.1';
  incoming.rawHeaders = headers.flat();
  incoming.headers = Object.fromEntries(headersOf(request));
  incoming.complete = true;
  if (body.length > 0) incoming.push(body);
  incoming.push(null);
  return incoming;
}

import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Stands for a port in the words of a command line. */
const MARK = '{port}';

/** Whether a port of its own is asked for. */
export function wantsPort(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text?.includes(MARK));
}

/** A text with the port in the place of `{port}`. */
export function withPort(text: string, port: number | undefined): string {
  return port === undefined ? text : text.replaceAll(MARK, String(port));
}

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

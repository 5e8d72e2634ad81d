/** The most characters of a listener's name. */
export const LISTENER_NAME_LENGTH = 40;

/** Name of the test receiver, reserved while it is on. */
export const TEST_RECEIVER = 'test-receiver';

/** The form of a listener's name, which becomes part of a host name. */
export const LISTENER_NAME = {
  pattern: /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
  problem: (name: string) =>
    `A listener's name has ${describeListenerNameRule(LISTENER_NAME_LENGTH)}; got ${name}.`,
};

/** Describes a valid listener name of up to `most` characters. */
export function describeListenerNameRule(max: number): string {
  return `1 to ${max} lower-case letters without accents, digits or hyphens, with no hyphen at either end`;
}

/** Builds the endpoint URL of a listener. */
export function createListenerUrl(name: string): string {
  return `https://${name}.listen.sandbox.localhost/`;
}

/** The name in the URL of a listener; empty for any other text. */
export function parseListenerName(url: string): string {
  return /^https:\/\/([a-z0-9-]+)\.listen\./.exec(url)?.[1] ?? '';
}

/** Returns the text for an endpoint in lists: its URL, or a listener's description, such as `shop → http://…`. */
export function formatEndpointLabel(endpoint: {
  readonly transport: string;
  readonly description: string | null;
  readonly url: string;
}): string {
  return (endpoint.transport === 'listener' ? endpoint.description : null) ?? endpoint.url;
}

/** Parses a listener's forward target and its name or command from its description; undefined without them. */
export function parseListenerTarget(description: string | null) {
  const [, by, target] = /^([a-z0-9-]+) → (http\S+)$/.exec(description ?? '') ?? [];
  return by === undefined || target === undefined ? undefined : { by, target };
}

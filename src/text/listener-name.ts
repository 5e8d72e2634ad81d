/** Maximum length of a listener name. */
export const LISTENER_NAME_LENGTH = 40;

/** Reserved name of the active test receiver. */
export const TEST_RECEIVER_NAME = 'test-receiver';

/** Format of a listener name, which becomes part of a hostname. */
export const LISTENER_NAME_FORM = {
  pattern: /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
  problem: (name: string) =>
    `A listener name must have ${describeListenerNameRule(LISTENER_NAME_LENGTH)}; got ${name}.`,
};

/** Describes a valid listener name of up to `max` characters. */
export function describeListenerNameRule(max: number): string {
  return `1 to ${max} characters from a-z, 0-9 and -, without a hyphen at either end`;
}

/** Builds the endpoint URL of a listener. */
export function createListenerUrl(name: string): string {
  return `https://${name}.listen.sandbox.localhost/`;
}

/** Returns the name in a listener URL, or an empty string for other text. */
export function parseListenerName(url: string): string {
  return /^https:\/\/([a-z0-9-]+)\.listen\./.exec(url)?.[1] ?? '';
}

/** Returns an endpoint's label: the URL, or a listener's description such as `shop → http://…`. */
export function formatEndpointLabel(endpoint: {
  readonly transport: string;
  readonly description: string | null;
  readonly url: string;
}): string {
  return (endpoint.transport === 'listener' ? endpoint.description : null) ?? endpoint.url;
}

/** Parses a listener's description into its forward target and its name or command, if present. */
export function parseListenerTarget(description: string | null) {
  const [, by, target] = /^([a-z0-9-]+) → (http\S+)$/.exec(description ?? '') ?? [];
  return by === undefined || target === undefined ? undefined : { by, target };
}

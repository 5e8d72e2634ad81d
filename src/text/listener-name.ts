/** The most characters of a listener's name. */
export const LISTENER_NAME_LENGTH = 40;

/** The name of the test receiver, which no `listen` may take while that is on. */
export const TEST_RECEIVER = 'test-receiver';

/** The form of a listener's name, which becomes part of a host name. */
export const LISTENER_NAME = {
  pattern: /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
  problem: (name: string) => `A listener's name has ${listenerNameRule(LISTENER_NAME_LENGTH)}; got ${name}.`,
};

/** What a listener's name of up to `most` characters is made of. */
export function listenerNameRule(most: number): string {
  return `1 to ${most} lower-case letters without accents, digits or hyphens, with no hyphen at either end`;
}

/** The URL that a listener of this name has as an endpoint. */
export function listenerUrl(name: string): string {
  return `https://${name}.listen.sandbox.localhost/`;
}

/** The name in the URL of a listener; empty for any other text. */
export function listenerNameOf(url: string): string {
  return /^https:\/\/([a-z0-9-]+)\.listen\./.exec(url)?.[1] ?? '';
}

/** Where a listener forwards to, and for which command, from its description; undefined if it says neither. */
export function listenerTarget(description: string | null) {
  const [, by, target] = /^(listener|start) → (http\S+)$/.exec(description ?? '') ?? [];
  return by === undefined || target === undefined ? undefined : { by, target };
}

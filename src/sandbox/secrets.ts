import type { Command } from '../core/commands.js';
import { KnownSecrets } from '../text/known-secrets.js';
import type { World } from '../core/world.js';

/** Secrets that no log of a sandbox may show, not even in a later world. */
export class SandboxSecrets extends KnownSecrets {
  learnFrom(command: Command): void {
    this.learn(secretsOfCommand(command));
  }

  learnAll(world: World): void {
    this.learn(secretsOfWorld(world));
  }
}

/** The new secrets in a command; each secret enters a world in the command that introduces it. */
function secretsOfCommand(command: Command): readonly string[] {
  switch (command.type) {
    case 'app.create': {
      const { token, signingSecret, organization } = command;
      return present([token, signingSecret, organization?.kycToken]);
    }
    case 'app.rekey': {
      return [command.token, command.signingSecret, command.kycToken];
    }
    case 'endpoint.create': {
      return [command.endpoint.secret];
    }
    case 'endpoint.rotate': {
      return [command.secret];
    }
    case 'listener.connect': {
      return [command.listener.secret];
    }
    default: {
      return NONE;
    }
  }
}

const NONE: readonly string[] = [];

/** Every token and secret in a world: of applications, organizations and endpoints, including rotated ones. */
function secretsOfWorld({ apps, organizations, endpoints }: World): readonly string[] {
  return present([
    ...apps.rows.flatMap(({ token, signingSecret }) => [token, signingSecret]),
    ...organizations.rows.map(({ kycToken }) => kycToken),
    ...Array.from(endpoints.values(), ({ secret, previousSecret }) => [secret, previousSecret]).flat(),
  ]);
}

function present(secrets: readonly (string | null | undefined)[]): readonly string[] {
  return secrets.filter((secret) => secret !== null && secret !== undefined);
}

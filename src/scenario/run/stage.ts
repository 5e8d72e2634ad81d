import type { Doors } from './requests.js';
import type { History } from './observed.js';
import type { Ownership } from './ownership.js';
import type { Forward, ScenarioReceiver } from './receiver.js';

/** What the steps of one run work with, and what they leave for later ones. */
export interface Stage {
  readonly doors: Doors;
  readonly history: History;
  readonly ownership: Ownership;
  readonly forward: Forward | undefined;
  /** A text that is another one at every run against a sandbox that has a history. */
  readonly run: string;
  receiver: ScenarioReceiver | undefined;
  /** Faults that the scenario added and that its end takes away. */
  readonly faults: Set<string>;
  /** Endpoints that the scenario made. */
  readonly endpoints: Set<string>;
  /** How many codes and keys were drafted. */
  drafted: number;
  /** The step that is under way: its name, or its number. */
  during: string;
}

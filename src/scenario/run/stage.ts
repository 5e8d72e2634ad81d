import type { Doors } from './requests.js';
import type { History } from './observed.js';
import type { Forward, ScenarioReceiver } from './receiver.js';

/** The state that the steps of one run share. */
export interface Stage {
  readonly doors: Doors;
  readonly history: History;
  readonly forward: Forward | undefined;
  /** A text that differs in every run against a sandbox with a history. */
  readonly run: string;
  /** What references begin with: the results of earlier steps, and what every scenario has. */
  readonly names: Map<string, unknown>;
  receiver: ScenarioReceiver | undefined;
  /** Faults that the scenario added; removed at its end. */
  readonly faults: Set<string>;
  readonly endpoints: Set<string>;
  /** How many codes and keys were generated. */
  drafted: number;
  /** The current step: its name, or its number. */
  during: string;
}

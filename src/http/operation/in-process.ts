/** A request that no socket brought. */
export interface InProcessRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Refuses what the guards refuse; otherwise returns what hands the request to its door, which begins to answer before it first waits. */
export type Admit = (request: InProcessRequest) => () => Promise<unknown>;

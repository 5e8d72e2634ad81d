import { setTimeout as pause } from 'node:timers/promises';
import type { ControlClient } from '../../../client/control.js';
import { SandboxError, NotReachableError } from '../../../client/control.js';
import type { AnswerOf, Given } from '../../../client/route-types.js';
import type { HeldCounts, SimulatedAttempt, Streams } from '../../../client/routes.js';
import type { ListenerAttempt } from '../../../delivery/listener-hub.js';
import type { EndpointView } from '../../../http/control/schema.js';
import { CliError } from '../../program/errors.js';
import { findSandbox } from '../../sandbox/find-sandbox.js';
import type { Forwarder } from './forwarder.js';
import type { Invocation } from '../../program/declaration.js';

export interface SessionPlan {
  /** What the listener registers with, as the control API takes it. */
  readonly registration: Given<Streams, 'POST listeners'>['body'];
  readonly verifies: boolean;
  readonly onReady: (listener: EndpointView, secret: string, counts: HeldCounts) => void;
  readonly onSimulated: (attempt: SimulatedAttempt) => void;
  readonly onReset: (counts: HeldCounts) => void;
  readonly onAway: () => void;
  /** Called when it has left with how many deliveries are held for it. */
  readonly onLeft: (held: number) => void;
}

type Ready = Extract<AnswerOf<Streams, 'POST listeners'>, { readonly type: 'ready' }>;

/** Real time between attempts to reconnect to a sandbox. */
const RECONNECT_MS = 500;

/** The connection of one listener to a sandbox; it reconnects when the sandbox comes back. */
export class ListenerSession {
  readonly #invocation: Invocation;
  readonly #plan: SessionPlan;
  readonly #forwarder: Forwarder;
  readonly #hangUp = new AbortController();
  #client: ControlClient | undefined;
  #listener: { readonly id: string; readonly secret: string | null } | undefined;
  #leaving: Promise<void> | undefined;
  #hasLeft = false;
  /** Resolves once the sandbox has accepted or refused the listener. */
  #answered = Promise.resolve();
  /** Whether it has ever been connected. */
  wasReady = false;

  constructor(invocation: Invocation, plan: SessionPlan, forwarder: Forwarder) {
    this.#invocation = invocation;
    this.#plan = plan;
    this.#forwarder = forwarder;
  }

  /** Listens until the signal to stop. Rejects if no sandbox is found at the start, or if it refuses the listener. */
  async run(): Promise<void> {
    await this.#connect();
    while (!this.#isLeaving) {
      this.#plan.onAway();
      this.#listener = undefined;
      await this.#reconnect();
    }
  }

  /** Tells the sandbox to hold what is pending, finishes what is in flight, and disconnects. */
  leave(): Promise<void> {
    this.#leaving ??= this.#sayGoodBye();
    return this.#leaving;
  }

  get #isLeaving(): boolean {
    return this.#leaving !== undefined || this.#invocation.io.stopping.aborted;
  }

  async #connect(): Promise<void> {
    const client = findSandbox(this.#invocation);
    this.#client = client;
    // What was held failed at the first connection; what is held since is to arrive.
    const body = { ...this.#plan.registration, ...(this.wasReady ? { fresh: false } : {}) };
    const messages = client.stream('POST listeners', { body, signal: this.#hangUp.signal });
    let tellAnswered = () => {};
    this.#answered = new Promise((resolve) => {
      tellAnswered = resolve;
    });
    let isConnected = false;
    try {
      for await (const message of messages) {
        isConnected = true;
        if (message.type === 'ready') this.#ready(message);
        else if (message.type === 'simulated') this.#plan.onSimulated(message);
        else this.#take(client, message);
        tellAnswered();
      }
    } catch (error) {
      if (this.#hangUp.signal.aborted) return;
      // A connection that broke later means that the sandbox went away, not that it never existed.
      if (!(isConnected && error instanceof NotReachableError)) throw error;
    } finally {
      tellAnswered();
    }
  }

  async #reconnect(): Promise<void> {
    const { stopping } = this.#invocation.io;
    while (!this.#isLeaving) {
      await pause(RECONNECT_MS, undefined, { signal: stopping }).catch(() => undefined);
      if (this.#isLeaving) return;
      try {
        await this.#connect();
        return;
      } catch (error) {
        if (!isAway(error)) throw error;
      }
    }
  }

  #take(client: ControlClient, attempt: ListenerAttempt): void {
    if (this.#listener !== undefined && !this.#hasLeft)
      void this.#forwarder.take(client, this.#listener, attempt);
  }

  #ready({ listener, secret, released, failed }: Ready): void {
    const wasReset = this.#listener !== undefined;
    this.#listener = { id: listener.id, secret: this.#plan.verifies ? secret : null };
    if (this.#isLeaving) return;
    this.wasReady = true;
    if (wasReset) this.#plan.onReset({ released, failed });
    else this.#plan.onReady(listener, secret, { released, failed });
  }

  async #sayGoodBye(): Promise<void> {
    await this.#answered;
    const { id } = this.#listener ?? {};
    const left =
      id === undefined ? undefined : await this.#client?.post('listeners/:id/leave', { id }).catch(nothing);
    this.#hasLeft = true;
    await this.#forwarder.settled();
    this.#hangUp.abort();
    this.#client?.close();
    if (left !== undefined) this.#plan.onLeft(left.held);
  }
}

function nothing(): undefined {}

function isAway(error: unknown): boolean {
  if (error instanceof NotReachableError) return true;
  if (error instanceof CliError) return error.code === 'NOT_RUNNING';
  return error instanceof SandboxError && error.body.code === 'ENDPOINT_ALREADY_EXISTS';
}

import { EVENT_TYPES, type EventType } from '../../../../contract/enums.js';
import { Refusal } from '../../../../contract/refusals.js';
import { formatIsoTime } from '../../../../contract/time.js';
import { isUndecided } from '../../../../core/identity/session.js';
import { presentDeliveryLine, presentEventLine } from '../../../../http/control/exchanges.js';
import { presentDueItem, presentEndpointView } from '../../../../http/control/schema.js';
import { createSessionUrl } from '../../../../http/shared/surface.js';
import { waitForMilestone } from '../../../../http/shared/wait-for-milestone.js';
import type { SandboxServer } from '../../../../http/server/start.js';
import type { Io } from '../../../program/io.js';
import { fitText, formatHanging, printNote } from '../../../terminal/text.js';
import { formatInstant } from '../../../terminal/time-text.js';
import { formatAttemptOutcome, formatDue } from '../../clock.js';
import { formatTriggered } from '../../trigger.js';
import { findUnreachedHints } from '../../endpoints.js';

export const KEYS_HINT = 'Keys: t trigger, v receive, n next, p pause, r reset, o open, q quit, ? help';

/** Slightly exceeds the time limit of an attempt. */
const FIRST_ATTEMPT_MS = 12_000;
const STEPS: Readonly<Record<string, number>> = { up: -1, down: 1 };
const CHOOSING = `↑ ↓ and Enter, or 1 to ${EVENT_TYPES.length}; any other key cancels`;

interface KeyPorts {
  readonly io: Io;
  readonly quit: () => void;
  readonly open: (url: string) => void;
}

interface Key {
  readonly description: string;
  readonly run: () => void | Promise<void>;
}

/** Runs single-key commands for a running sandbox. Prints to stderr, like the request log. */
export class StartKeys {
  readonly #server: SandboxServer;
  readonly #ports: KeyPorts;
  readonly #io: Io;
  #question: 'event' | 'reset' | undefined;
  /** Index of the highlighted event. */
  #choice = 0;

  readonly #keys: Readonly<Record<string, Key>> = {
    t: { description: 'trigger an event on a new charge or withdrawal', run: () => this.#askEvent() },
    v: {
      description: 'toggle the test receiver, which verifies deliveries and responds with 200',
      run: () => this.#toggleReceiver(),
    },
    n: { description: 'jump to the next due item and run it', run: () => this.#next() },
    p: { description: 'pause or resume deliveries', run: () => this.#pauseOrResume() },
    r: { description: 'reset the sandbox, after a confirmation', run: () => this.#askReset() },
    o: {
      description: 'open the newest pending identity page, or the web console',
      run: () => this.#open(),
    },
    q: { description: 'stop the sandbox, like Ctrl-C', run: () => this.#ports.quit() },
  };

  constructor(server: SandboxServer, ports: KeyPorts) {
    this.#server = server;
    this.#ports = ports;
    this.#io = ports.io;
  }

  /** Handles a key: a character, `up` or `down`. Resolves when all output has been printed. */
  async press(typed: string): Promise<void> {
    if (this.#io.stopping.aborted) return;
    const key = typed.toLowerCase();
    try {
      if (this.#question !== undefined) await this.#answer(key);
      else if (key === '?' || key === 'h') this.#help();
      else if (isEnter(key)) this.#io.note('');
      else await this.#keys[key]?.run();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#say(`${this.#io.colors.red('error')} ${error.message}`);
    }
  }

  #say(text: string): void {
    printNote(this.#io, text);
  }

  #help(): void {
    const { columns, note } = this.#io;
    const lines = Object.entries(this.#keys).map(
      ([name, { description }]) => `  ${name}  ${formatHanging(description, columns, '     ')}`,
    );
    note(lines.join('\n'));
  }

  #askEvent(): void {
    const { columns, note } = this.#io;
    const choices = EVENT_TYPES.map((type, index) => `${index + 1} ${type}`);
    const line = `Which event?  ${choices.join('  ')}`;
    note(columns === 0 || line.length <= columns ? line : ['Which event?', ...choices].join('\n  '));
    this.#question = 'event';
    this.#choose(0);
  }

  #askReset(): void {
    this.#question = 'reset';
    this.#io.note(formatHanging('Reset the sandbox and lose its data? y or n', this.#io.columns));
  }

  #choose(index: number): void {
    const { columns } = this.#io;
    this.#choice = (index + EVENT_TYPES.length) % EVENT_TYPES.length;
    const chosen = `❯ ${this.#choice + 1} ${EVENT_TYPES[this.#choice]}`;
    this.#io.progress(fitText(`${chosen.padEnd(24)} ${CHOOSING}`, Math.max(columns - 1, 0)));
  }

  async #answer(key: string): Promise<void> {
    const question = this.#question;
    const step = STEPS[key];
    if (step !== undefined) {
      if (question === 'event') this.#choose(this.#choice + step);
      return;
    }
    this.#question = undefined;
    if (question === 'reset') {
      if (key === 'y') this.#server.sandbox.reset();
      return this.#io.note(key === 'y' ? 'The sandbox was reset.' : 'Nothing was reset.');
    }
    const index = isEnter(key) ? this.#choice : Number(key) - 1;
    const event = EVENT_TYPES[index];
    if (event === undefined) return this.#io.note('Nothing was triggered.');
    this.#choose(index);
    await this.#trigger(event);
  }

  async #trigger(event: EventType): Promise<void> {
    const { sandbox } = this.#server;
    const io = this.#io;
    const { events } = sandbox.dispatch({ type: 'trigger', event });
    const deliveries = sandbox.world.deliveries.rows.filter((delivery) => events.includes(delivery.event));
    const reached = await waitForMilestone(sandbox, deliveries, 'attempted', FIRST_ATTEMPT_MS);
    const lines = deliveries.map((delivery) => presentDeliveryLine(sandbox, delivery));
    io.note(
      formatTriggered({ reached, events: events.map(presentEventLine), deliveries: lines }, io).join('\n'),
    );
    if (deliveries.length === 0)
      io.note(io.colors.yellow(`  ${formatHanging(this.#nothingReceives(event), io.columns)}`));
    else if (!reached && sandbox.world.deliveriesPaused)
      io.note(io.colors.yellow('  Deliveries are paused: press p to resume.'));
  }

  #nothingReceives(event: EventType): string {
    const { testReceiver, world } = this.#server.sandbox;
    const appId = world.apps.rows[0]?.id;
    const endpoints = [...world.endpoints.values()].filter((endpoint) => endpoint.appId === appId);
    const hints = findUnreachedHints(this.#io.program, event, endpoints.map(presentEndpointView));
    const receiver = testReceiver.endpoint === undefined ? ['Press v for the test receiver.'] : [];
    return ['No endpoint or listener receives this event.', ...hints, ...receiver].join(' ');
  }

  #toggleReceiver(): void {
    const { testReceiver } = this.#server.sandbox;
    if (testReceiver.endpoint !== undefined) {
      return this.#say(
        `The test receiver is off. Deliveries held until it is on again: ${testReceiver.turnOff()}.`,
      );
    }
    testReceiver.turnOn(200);
    this.#say(
      'The test receiver is on: it verifies every delivery and responds with 200. Press v to turn it off.',
    );
  }

  async #next(): Promise<void> {
    const { sandbox } = this.#server;
    const io = this.#io;
    const due = await sandbox.travel.next();
    if (due === undefined) return io.note('Nothing is due.');
    const nowMs = sandbox.clock.now();
    const { kind, id } = presentDueItem(due);
    const delivery = kind === 'delivery.attempt' ? sandbox.world.deliveries.byId.get(id) : undefined;
    const outcome =
      delivery === undefined
        ? ''
        : `: ${formatAttemptOutcome(io, presentDeliveryLine(sandbox, delivery), nowMs)}`;
    this.#say(`Done: ${formatDue({ kind, id })}${outcome}.`);
    io.note(`Sandbox time is now ${formatInstant(formatIsoTime(nowMs))}.`);
  }

  #pauseOrResume(): void {
    const { sandbox } = this.#server;
    if (sandbox.world.deliveriesPaused) {
      const released = sandbox.dispatch({ type: 'deliveries.resume' });
      return this.#io.note(`Deliveries resumed. Released: ${released.length}.`);
    }
    sandbox.dispatch({ type: 'deliveries.pause' });
    const paused = 'Deliveries are paused: due attempts wait until you press p again.';
    this.#say(this.#io.colors.yellow(paused));
  }

  #open(): void {
    const { sandbox, url } = this.#server;
    const session = sandbox.world.sessions.rows.findLast(isUndecided);
    const page = session === undefined ? `${url}/` : createSessionUrl(url, session);
    this.#say(`Open ${page}`);
    this.#ports.open(page);
  }
}

function isEnter(key: string): boolean {
  return key === '\r' || key === '\n';
}

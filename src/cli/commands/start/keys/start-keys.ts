import { isUndecided } from '../../../../core/identity/session.js';
import { isoTime } from '../../../../contract/time.js';
import { Refusal } from '../../../../contract/refusals.js';
import type { EventType } from '../../../../contract/events.js';
import { EVENT_TYPES } from '../../../../contract/events.js';
import { dueView } from '../../../../http/control/clock.js';
import { endpointView } from '../../../../http/control/apps.js';
import { deliveryLine, eventLine } from '../../../../http/control/events.js';
import type { SandboxServer } from '../../../../http/server/start.js';
import { hostedSessionUrl } from '../../../../http/operation/targets.js';
import { untilReached } from '../../../../http/operation/until.js';
import type { Io } from '../../../program/io.js';
import { attemptOutcome, dueText } from '../../clock/clock.js';
import { unreachedHints } from '../../webhooks/webhooks.js';
import { triggeredLines } from '../../trigger/trigger.js';
import { fit, hanging, noteSentence } from '../../../terminal/text.js';
import { instantText } from '../../../terminal/when.js';

/** Printed once, below the text of `start`. */
export const KEYS_HINT = 'Keys: t trigger, v receive, n next, p pause, r reset, o open, q quit, ? help';

/** How long to wait for the first attempts of a triggered event: a little longer than an attempt's own limit. */
const FIRST_ATTEMPT_MS = 12_000;

const HELP: readonly (readonly [key: string, does: string])[] = [
  ['t', 'make an event happen on a new charge or withdrawal'],
  ['v', 'turn the test receiver on or off: it verifies and answers 200'],
  ['n', 'jump to the next thing due, and do it'],
  ['p', 'hold deliveries back, and let them go again'],
  ['r', 'start over, after a question'],
  ['o', 'open the newest identity page that waits, or else the web console'],
  ['q', 'stop the sandbox, as Ctrl-C does'],
];

const STEPS: Readonly<Record<string, number>> = { up: -1, down: 1 };
const CHOOSING = `↑ ↓ and Enter, or 1 to ${EVENT_TYPES.length}; another key cancels`;

/** What the keys need besides the sandbox. */
export interface KeyPorts {
  readonly io: Io;
  readonly quit: () => void;
  readonly open: (url: string) => void;
}

/** What single keys do to a running sandbox. It prints on stderr, like the calls beside it. */
export class StartKeys {
  readonly #server: SandboxServer;
  readonly #ports: KeyPorts;
  #question: 'event' | 'reset' | undefined;
  /** The highlighted answer of the question for an event, by its index. */
  #choice = 0;

  constructor(server: SandboxServer, ports: KeyPorts) {
    this.#server = server;
    this.#ports = ports;
  }

  /** Handles a key, which is a character, `up` or `down`; resolves when everything has been printed, including what the sandbox refuses. */
  async press(key: string): Promise<void> {
    const { io } = this.#ports;
    if (io.stopping.aborted) return;
    try {
      await (this.#question === undefined
        ? this.#command(key.toLowerCase())
        : this.#answer(key.toLowerCase()));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      noteSentence(io, `${io.colour.red('error')} ${error.message}`);
    }
  }

  async #command(key: string): Promise<void> {
    const { io, quit } = this.#ports;
    if (key === 't') {
      this.#ask('event', eventQuestion(io));
      this.#choose(0);
    }
    if (key === 'r')
      this.#ask('reset', hanging('Start over? Everything in the sandbox goes. y or n', io.columns));
    else if (key === 'v') this.#receive();
    else if (key === 'n') await this.#next();
    else if (key === 'p') this.#pauseOrResume();
    else if (key === 'o') this.#open();
    else if (key === 'q') quit();
    else if (key === '?' || key === 'h') io.note(helpText(io));
    else if (isEnter(key)) io.note('');
  }

  #ask(question: 'event' | 'reset', text: string): void {
    this.#question = question;
    this.#ports.io.note(text);
  }

  /** Highlights a choice; before the first comes the last. */
  #choose(index: number): void {
    const { io } = this.#ports;
    this.#choice = (index + EVENT_TYPES.length) % EVENT_TYPES.length;
    const chosen = `❯ ${this.#choice + 1} ${EVENT_TYPES[this.#choice]}`;
    io.progress(fit(`${chosen.padEnd(24)} ${CHOOSING}`, Math.max(io.columns - 1, 0)));
  }

  async #answer(key: string): Promise<void> {
    const question = this.#question;
    const step = STEPS[key];
    if (step !== undefined) {
      if (question === 'event') this.#choose(this.#choice + step);
      return;
    }
    this.#question = undefined;
    if (question === 'reset') return this.#reset(key === 'y');
    const index = isEnter(key) ? this.#choice : Number(key) - 1;
    const event = EVENT_TYPES[index];
    if (event === undefined) return this.#ports.io.note('Nothing was triggered.');
    this.#choose(index);
    await this.#trigger(event);
  }

  async #trigger(event: EventType): Promise<void> {
    const { sandbox } = this.#server;
    const { io } = this.#ports;
    const { events } = sandbox.dispatch({ type: 'trigger', event });
    const deliveries = sandbox.world.deliveries.rows.filter((delivery) => events.includes(delivery.event));
    const reached = await untilReached(sandbox, deliveries, 'attempted', FIRST_ATTEMPT_MS);
    const lines = deliveries.map((delivery) => deliveryLine(sandbox, delivery));
    io.note(triggeredLines({ reached, events: events.map(eventLine), deliveries: lines }, io).join('\n'));
    if (deliveries.length === 0)
      io.note(io.colour.yellow(`  ${hanging(this.#nothingReceives(event), io.columns)}`));
    else if (!reached && sandbox.world.deliveriesPaused)
      io.note(io.colour.yellow('  Deliveries are paused: p lets them go.'));
  }

  #nothingReceives(event: EventType): string {
    const { testReceiver, world } = this.#server.sandbox;
    const appId = world.apps.rows[0]?.id;
    const endpoints = [...world.endpoints.values()].filter((endpoint) => endpoint.appId === appId);
    const hints = unreachedHints(this.#ports.io.program, event, endpoints.map(endpointView));
    const receiver = testReceiver.endpoint === undefined ? ['v turns on the test receiver.'] : [];
    return ['No endpoint and no listener receives this event.', ...hints, ...receiver].join(' ');
  }

  #receive(): void {
    const { testReceiver } = this.#server.sandbox;
    const { io } = this.#ports;
    if (testReceiver.endpoint === undefined) {
      testReceiver.turnOn(200);
      noteSentence(
        io,
        'The test receiver is on: it verifies every delivery and answers 200. v turns it off.',
      );
      return;
    }
    noteSentence(io, `The test receiver is off. Held until it is on again: ${testReceiver.turnOff()}.`);
  }

  async #next(): Promise<void> {
    const { sandbox } = this.#server;
    const { io } = this.#ports;
    const due = await sandbox.travel.next();
    if (due === undefined) return io.note('Nothing is due.');
    const nowMs = sandbox.clock.now();
    const { kind, id } = dueView(due);
    const delivery = kind === 'delivery.attempt' ? sandbox.world.deliveries.byId.get(id) : undefined;
    const outcome =
      delivery === undefined ? '' : `: ${attemptOutcome(io, deliveryLine(sandbox, delivery), nowMs)}`;
    noteSentence(io, `Done: ${dueText({ kind, id })}${outcome}.`);
    io.note(`It is ${instantText(isoTime(nowMs))} now.`);
  }

  #pauseOrResume(): void {
    const { sandbox } = this.#server;
    const { io } = this.#ports;
    if (!sandbox.world.deliveriesPaused) {
      sandbox.dispatch({ type: 'deliveries.pause' });
      noteSentence(
        io,
        io.colour.yellow('Deliveries are paused: what falls due waits until you press p again.'),
      );
      return;
    }
    const released = sandbox.dispatch({ type: 'deliveries.resume' });
    io.note(`Deliveries resumed. Released: ${released.length}.`);
  }

  #reset(isSure: boolean): void {
    if (isSure) this.#server.sandbox.reset();
    this.#ports.io.note(isSure ? 'Everything starts over.' : 'Nothing was reset.');
  }

  #open(): void {
    const { sandbox, url } = this.#server;
    const session = sandbox.world.sessions.rows.findLast(isUndecided);
    const page = session === undefined ? `${url}/` : hostedSessionUrl(url, session);
    noteSentence(this.#ports.io, `Open ${page}`);
    this.#ports.open(page);
  }
}

function helpText({ columns }: Pick<Io, 'columns'>): string {
  return HELP.map(([name, does]) => `  ${name}  ${hanging(does, columns, '     ')}`).join('\n');
}

function eventQuestion({ columns }: Pick<Io, 'columns'>): string {
  const choices = EVENT_TYPES.map((type, index) => `${index + 1} ${type}`);
  const line = `Which event?  ${choices.join('  ')}`;
  return columns === 0 || line.length <= columns ? line : ['Which event?', ...choices].join('\n  ');
}

function isEnter(key: string): boolean {
  return key === '\r' || key === '\n';
}

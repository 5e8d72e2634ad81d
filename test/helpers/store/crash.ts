import { join } from 'node:path';
import type { ControlClient } from '../../../src/client/control.js';
import { NotReachableError, SandboxError } from '../../../src/client/control.js';
import { createSocketClient } from '../../../src/client/socket.js';
import type { StateFile } from '../../../src/sandbox/state-file.js';
import { chanceOf } from '../random.js';
import { App } from '../e2e/e2e-app.js';
import type { Project, RunningSandbox } from '../e2e/e2e.js';

export interface CrashOptions {
  readonly crashes: number;
  /** The moments of the crashes, and what is done before them, follow from it. */
  readonly seed: number;
}

/** What came of it. `lost` must be empty; the rest shows that something happened at all. */
export interface CrashResult {
  readonly seed: number;
  readonly crashes: number;
  readonly acknowledged: number;
  readonly received: number;
  /** Crashes that came while a request or a delivery was on its way. */
  readonly inTheMiddle: number;
  /** What is wrong, in words. */
  readonly lost: readonly string[];
}

type Did = 'created' | 'settled' | 'failed';

const CLIENTS = 8;
/** Acknowledgements between two crashes, at most. */
const MOST_BETWEEN = 60;
const STATUS: Readonly<Record<Did, string>> = { created: 'PENDING', settled: 'SETTLED', failed: 'FAILED' };

/** What clients were told, and what a receiver got, across the lives of a sandbox. */
class Witness {
  readonly told = new Map<string, Did>();
  acknowledged = 0;
  inTheMiddle = 0;
  #made = 0;

  newCode(): string {
    this.#made += 1;
    return `order-${this.#made}`;
  }

  tell(code: string, did: Did): void {
    this.acknowledged += 1;
    this.told.set(code, did);
  }

  /** What of it a sandbox does not know. */
  missing({ world }: StateFile, webhookIds: ReadonlySet<string>): string[] {
    const statuses = new Map(world.charges.map(({ code, status }) => [code, status]));
    const events = new Set(world.events.map(({ id }) => id));
    const unknown = [...this.told].filter(([code, did]) => {
      const status = statuses.get(code);
      // One more change may have been made whose answer was lost.
      return did === 'created' ? status === undefined : status !== STATUS[did];
    });
    return [
      ...unknown.map(([code, did]) => `${code} was ${did}, and is ${statuses.get(code) ?? 'not there'}`),
      ...[...webhookIds].filter((id) => !events.has(id)).map((id) => `${id} was received, and is not there`),
      ...world.accounts
        .filter((account) => !addsUp(account))
        .map(({ id }) => `account ${id} does not add up`),
    ];
  }
}

function addsUp({ balanceCents, transactions }: StateFile['world']['accounts'][number]): boolean {
  const sum = transactions.reduce(
    (total, { direction, amountCents }) => total + (direction === 'CREDIT' ? amountCents : -amountCents),
    0,
  );
  return String(sum) === balanceCents;
}

/** Kills a busy sandbox again and again with SIGKILL, starts it on the same directory, and asks what it still knows. */
export async function crash(project: Project, { crashes, seed }: CrashOptions): Promise<CrashResult> {
  const chance = chanceOf(seed);
  const directory = join(project.folder, 'data');
  await using app = await App.start(WEBHOOK_SECRET);
  app.answer = () => (chance() < 0.2 ? 500 : 200);
  const witness = new Witness();
  const lost: string[] = [];
  const start = () => project.start(['--data', directory, '--allow-local-endpoints', '--quiet']);
  for (let life = 0; life <= crashes && lost.length === 0; life += 1) {
    await using sandbox = await start();
    const client = createSocketClient({ url: sandbox.url });
    const ids = new Set(app.hooks.map(({ id }) => id));
    lost.push(...witness.missing(await client.get('state'), ids));
    if (life === 0) app.secret = await addEndpoint(client, app.url);
    if (life < crashes) await workAndDie(sandbox, client, witness, chance);
    client.close();
  }
  const { acknowledged, inTheMiddle } = witness;
  return { seed, crashes, acknowledged, received: app.hooks.length, inTheMiddle, lost };
}

/** Any secret will do until the endpoint has its own. */
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;

async function addEndpoint(client: ControlClient, url: string): Promise<string> {
  const events = ['pix.settled', 'pix.failed'];
  return (await client.post('endpoints', { body: { url, events } })).secret;
}

/** Some clients at work until the sandbox is killed, in the moment of an acknowledgement. */
async function workAndDie(
  sandbox: RunningSandbox,
  client: ControlClient,
  witness: Witness,
  chance: () => number,
): Promise<void> {
  let left = 1 + Math.floor(chance() * MOST_BETWEEN);
  let isDead = false;
  let open = 0;
  const done = () => {
    left -= 1;
    if (left > 0 || isDead) return;
    isDead = true;
    if (open > 0) witness.inTheMiddle += 1;
    sandbox.signal('SIGKILL');
  };
  const ask = async (asked: () => Promise<object>) => {
    open += 1;
    try {
      await asked();
      return true;
    } catch (error) {
      if (error instanceof NotReachableError || (isDead && !(error instanceof SandboxError))) return false;
      throw error;
    } finally {
      open -= 1;
    }
  };
  const work = async () => {
    for (;;) {
      if (isDead) return;
      const code = witness.newCode();
      if (!(await ask(() => client.post('charges', { body: { code, amount: '10.00' } })))) return;
      witness.tell(code, 'created');
      done();
      const did = chance() < 0.7 ? 'settled' : 'failed';
      const verb = did === 'settled' ? 'settle' : 'fail';
      if (!(await ask(() => client.post(`charges/:id/${verb}`, { id: code })))) return;
      witness.tell(code, did);
      done();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  await sandbox.ended();
}

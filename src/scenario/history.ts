import { rowsOfPages } from '../client/control.js';
import type { PageView } from '../http/control/schema.js';
import { type Doors, refused } from './doors.js';
import type { ListName } from './expectations.js';

export type Row = Readonly<Record<string, unknown>>;

const RESOURCES = ['charges', 'withdrawals'] as const;
/** The lists that are read from a mark on; received requests are kept by the receiver. */
type MarkedList = Exclude<ListName, 'received'> | (typeof RESOURCES)[number];

interface Touching {
  readonly id?: string;
  readonly resource?: { readonly id: string };
  readonly events?: readonly Touching[];
  readonly deliveries?: readonly Touching[];
}

/** What happened in a sandbox since a scenario began, oldest first. */
export class History {
  /** The balance of the default account at the start. */
  startCents = 0n;
  readonly #doors: Doors;
  readonly #marks = new Map<MarkedList, unknown>();
  readonly #touched = new Set<unknown>();

  private constructor(doors: Doors) {
    this.#doors = doors;
  }

  /** Marks the current end of the lists that will be checked, and of the resources of a sandbox that has some. */
  static async begin(doors: Doors, lists: readonly ListName[], isFresh: boolean): Promise<History> {
    const history = new History(doors);
    for (const list of [...lists, ...(isFresh ? [] : RESOURCES)]) {
      if (list === 'received') continue;
      const [newest] = await history.#newest(list, 1);
      if (newest !== undefined) history.#marks.set(list, newest['id']);
    }
    history.startCents = await history.balanceCents();
    return history;
  }

  /** After a reset everything counts. */
  async beginAgain(): Promise<void> {
    this.#marks.clear();
    this.startCents = await this.balanceCents();
  }

  async rows(list: MarkedList): Promise<readonly Row[]> {
    return (await this.#newest(list)).map(typed).reverse();
  }

  /** The balance of the default account. */
  async balanceCents(): Promise<bigint> {
    const { accounts } = await this.#doors.control.get('status');
    const own = accounts.find(({ id }) => id === this.#doors.env.SANDBOX_ACCOUNT_ID);
    return BigInt((own?.balance ?? '0').replace('.', ''));
  }

  /** Notes the result of a step: what it changed, triggered or resent. */
  touch(result: unknown): void {
    if (typeof result !== 'object' || result === null) return;
    const { id, resource, events = [], deliveries = [] }: Touching = result;
    for (const touched of [id, resource?.id]) if (typeof touched === 'string') this.#touched.add(touched);
    for (const row of [...events, ...deliveries]) this.touch({ resource: row.resource });
  }

  /**
   * Whether the charge or withdrawal of an id currently belongs to the scenario: it was created since the
   * scenario began, or a step named it. A running sandbox may have others, and the scenario ignores their
   * events.
   */
  async ownership(): Promise<(id: unknown) => boolean> {
    if (RESOURCES.every((list) => !this.#marks.has(list))) return () => true;
    const own = new Set(this.#touched);
    for (const list of RESOURCES) for (const { id } of await this.#newest(list)) own.add(id);
    return (id) => own.has(id);
  }

  /** Newest first, up to the mark or the limit. */
  async #newest(list: MarkedList, limit?: number): Promise<Row[]> {
    const { control, env, lookUps } = this.#doors;
    const mark = this.#marks.get(list);
    const isKnown = ({ id }: { readonly id: string }) => id === mark;
    if (list === 'calls') {
      const { data } = await control.get('calls');
      const known = data.findIndex(isKnown);
      const since = known < 0 ? data : data.slice(0, known);
      return since.filter((call) => !lookUps.has(call.id));
    }
    if (list !== 'transactions') return control.list(list, { limit }, isKnown);
    const path = `/api/public/v1/accounts/${env.SANDBOX_ACCOUNT_ID}/transactions`;
    return rowsOfPages(
      async (paging) => {
        const query = new URLSearchParams({ ...paging, limit: String(paging.limit) });
        const { status, body } = await this.#doors.lookUp(`${path}?${query.toString()}`);
        if (status !== 200) throw refused(`GET ${path}`, status, body);
        return body as PageView<Row & { readonly id: string }>;
      },
      isKnown,
      limit,
    );
  }
}

/** A delivery has its type under another name than an event. */
function typed({ event_type: type, ...row }: Row): Row {
  return type === undefined ? row : { type, ...row };
}

import { rowsOfPages } from '../../client/control.js';
import type { PageView } from '../../http/control/schema.js';
import type { Doors } from './requests.js';
import { refused } from './requests.js';
import type { ListName } from '../format/expectations.js';

/** A row of one of the lists that expectations check. */
export type Row = Readonly<Record<string, unknown>>;

/** The lists that are read from a mark on; received requests are kept by the receiver. */
type MarkedList = Exclude<ListName, 'received'>;

interface TransactionRow {
  readonly id: string;
}

/** What happened in a sandbox since a scenario began, oldest first. */
export class History {
  readonly #doors: Doors;
  readonly #marks = new Map<MarkedList, string | undefined>();
  #startCents = 0n;

  private constructor(doors: Doors) {
    this.#doors = doors;
  }

  /** Marks the current end of the lists that will be checked. */
  static async begin(doors: Doors, lists: readonly ListName[]): Promise<History> {
    const history = new History(doors);
    for (const list of lists) {
      if (list === 'received') continue;
      history.#marks.set(list, await history.#newestId(list));
    }
    history.#startCents = await history.balanceCents();
    return history;
  }

  /** After a reset everything counts. */
  async beginAgain(): Promise<void> {
    this.#marks.clear();
    this.#startCents = await this.balanceCents();
  }

  async rows(list: MarkedList): Promise<readonly Row[]> {
    return (await this.#newest(list, this.#marks.get(list))).map(({ row }) => row).reverse();
  }

  /** The balance of the default account. */
  async balanceCents(): Promise<bigint> {
    const { accounts } = await this.#doors.control.get('status');
    const own = accounts.find(({ id }) => id === this.#doors.env.SANDBOX_ACCOUNT_ID);
    return BigInt((own?.balance ?? '0').replace('.', ''));
  }

  /** The change of the balance since the start. */
  async balanceChangeCents(): Promise<bigint> {
    return (await this.balanceCents()) - this.#startCents;
  }

  async #newestId(list: MarkedList): Promise<string | undefined> {
    if (list === 'events' || list === 'deliveries') {
      const { data } = await this.#doors.control.get(list, { limit: 1 });
      return data[0]?.id;
    }
    return list === 'calls'
      ? (await this.#newest(list))[0]?.id
      : (await this.#transactionPage({ limit: 1 })).data[0]?.id;
  }

  /** Newest first, up to the mark. */
  async #newest(list: MarkedList, mark?: string): Promise<{ id: string; row: Row }[]> {
    const { control, lookUps } = this.#doors;
    const isKnown = ({ id }: { readonly id: string }) => id === mark;
    switch (list) {
      case 'events': {
        return (await control.list('events', {}, isKnown)).map((row) => ({ id: row.id, row: { ...row } }));
      }
      case 'deliveries': {
        const rows = await control.list('deliveries', {}, isKnown);
        return rows.map(({ event_type: type, ...row }) => ({ id: row.id, row: { type, ...row } }));
      }
      case 'calls': {
        const { data } = await control.get('calls');
        const known = data.findIndex((call) => call.request_id === mark);
        const since = known < 0 ? data : data.slice(0, known);
        const others = since.filter((call) => !lookUps.has(call.request_id));
        return others.map((row) => ({ id: row.request_id, row: { ...row } }));
      }
      case 'transactions': {
        const rows = await rowsOfPages((paging) => this.#transactionPage(paging), isKnown);
        return rows.map((row) => ({ id: row.id, row: { ...row } }));
      }
    }
  }

  async #transactionPage(paging: {
    readonly limit: number;
    readonly after?: string;
  }): Promise<PageView<TransactionRow>> {
    const path = `/api/public/v1/accounts/${this.#doors.env.SANDBOX_ACCOUNT_ID}/transactions`;
    const query = new URLSearchParams({ ...paging, limit: String(paging.limit) });
    const { status, body } = await this.#doors.lookUp(`${path}?${query.toString()}`);
    if (status !== 200) throw refused(`GET ${path}`, status, body);
    return body as PageView<TransactionRow>;
  }
}

import type { CallView, DeliveryLine, EventLine, PageView, StatusView } from '../../http/control/schema.js';
import type { Doors } from './requests.js';
import { refused } from './requests.js';
import type { ListName } from '../format/expectations.js';

/** A row of one of the lists that an expectation looks at. */
export type Row = Readonly<Record<string, unknown>>;

/** What is looked at from its beginning on; what the receiver got is its own. */
type MarkedList = Exclude<ListName, 'received'>;

interface TransactionRow {
  readonly id: string;
}

interface TransactionPage {
  readonly data: readonly TransactionRow[];
  readonly paging: { readonly after: string | null };
}

const ROWS_PER_PAGE = 50;

/** What happened in a sandbox since a scenario began, oldest first. */
export class History {
  readonly #doors: Doors;
  readonly #marks = new Map<MarkedList, string | undefined>();
  #startCents = 0n;

  private constructor(doors: Doors) {
    this.#doors = doors;
  }

  /** Remembers what has happened so far, in the lists that will be looked at. */
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

  /** What the default account holds. */
  async balanceCents(): Promise<bigint> {
    const { accounts } = await this.#doors.get<StatusView>('status');
    const own = accounts.find(({ id }) => id === this.#doors.env.SANDBOX_ACCOUNT_ID);
    return BigInt((own?.balance ?? '0').replace('.', ''));
  }

  /** How the balance changed since the beginning. */
  async balanceChangeCents(): Promise<bigint> {
    return (await this.balanceCents()) - this.#startCents;
  }

  async #newestId(list: MarkedList): Promise<string | undefined> {
    if (list === 'events' || list === 'deliveries') {
      const { data } = await this.#doors.get<PageView<EventLine | DeliveryLine>>(`${list}?limit=1`);
      return data[0]?.id;
    }
    return list === 'calls'
      ? (await this.#newest(list))[0]?.id
      : (await this.#transactionPage(1)).data[0]?.id;
  }

  /** Newest first, up to the mark. */
  async #newest(list: MarkedList, mark?: string): Promise<{ id: string; row: Row }[]> {
    const doors = this.#doors;
    switch (list) {
      case 'events': {
        return (await doors.newest<EventLine>('events', mark)).map((row) => ({
          id: row.id,
          row: { ...row },
        }));
      }
      case 'deliveries': {
        const rows = await doors.newest<DeliveryLine>('deliveries', mark);
        return rows.map(({ event_type: type, ...row }) => ({ id: row.id, row: { type, ...row } }));
      }
      case 'calls': {
        const { data } = await doors.get<{ data: readonly CallView[] }>('calls');
        const since = data.slice(
          0,
          indexOrAll(
            data.map((call) => call.request_id),
            mark,
          ),
        );
        const others = since.filter((call) => !doors.lookUps.has(call.request_id));
        return others.map((row) => ({ id: row.request_id, row: { ...row } }));
      }
      case 'transactions': {
        return (await this.#transactions(mark)).map((row) => ({ id: row.id, row: { ...row } }));
      }
    }
  }

  async #transactions(mark: string | undefined): Promise<TransactionRow[]> {
    const rows: TransactionRow[] = [];
    let after: string | null = null;
    do {
      const page: TransactionPage = await this.#transactionPage(ROWS_PER_PAGE, after);
      const known = indexOrAll(
        page.data.map(({ id }) => id),
        mark,
      );
      rows.push(...page.data.slice(0, known));
      after = known < page.data.length ? null : page.paging.after;
    } while (after !== null);
    return rows;
  }

  async #transactionPage(limit: number, after: string | null = null): Promise<TransactionPage> {
    const path = `/api/public/v1/accounts/${this.#doors.env.SANDBOX_ACCOUNT_ID}/transactions`;
    const query = new URLSearchParams({ limit: String(limit), ...(after === null ? {} : { after }) });
    const { status, body } = await this.#doors.lookUp(`${path}?${query.toString()}`);
    if (status !== 200) throw refused(`GET ${path}`, status, body);
    return body as TransactionPage;
  }
}

function indexOrAll(ids: readonly string[], mark: string | undefined): number {
  const index = mark === undefined ? -1 : ids.indexOf(mark);
  return index < 0 ? ids.length : index;
}

import type { FailureReason } from '../../contract/failure-reasons.js';
import type { PathOf, RowOf } from '../../client/route-types.js';
import type { ChargeDetail } from '../../http/control/payments.js';
import type { WithdrawalView } from '../../http/control/schema.js';
import type { Invocation, ValuesOf } from '../program/declaration.js';
import { usageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import type { PAGE } from '../program/shared-options.js';
import { present, presentAt, presentPage } from '../sandbox/present.js';
import type { Column } from '../terminal/text.js';
import type { NewPayment } from './payment-options.js';
import { paymentFields } from './payment-options.js';
import { chargeColumns, chargeText, movedText, withdrawalColumns, withdrawalText } from './text.js';

type Payments = 'charges' | 'withdrawals';

/** What is answered for one of them, new or not. */
interface Details {
  readonly charges: ChargeDetail;
  readonly withdrawals: WithdrawalView;
}

interface Kind<Route extends Payments> {
  readonly columns: (io: Io, nowMs: number) => readonly Column<RowOf<Route>>[];
  readonly text: (io: Io, view: Details[Route], nowMs: number) => string;
}

interface App {
  readonly app: string | undefined;
}

type Listing = ValuesOf<typeof PAGE> & App & { readonly status: string | undefined };
type Moving = App & { readonly reason?: FailureReason | undefined };
type MovePath = Extract<PathOf<'POST'>, `${Payments}/:id/${string}`>;

/** The code of the commands that list, show, create and move charges or withdrawals. */
function paymentCommands<Route extends Payments>(route: Route, { columns, text }: Kind<Route>) {
  const what = route.slice(0, -1);
  const payments: Payments = route;
  return {
    list: presentPage<Route, Invocation<unknown, Listing>>(
      route,
      ({ status, app }) => ({ status, app }),
      columns,
    ),
    show: presentAt<Details[Route], Invocation<{ readonly id: string }, App>>((client, { args, options }) => {
      const shown = client.get(`${payments}/:id`, { id: args.id, app: options.app });
      return shown as Promise<Details[Route]>;
    }, text),
    create: presentAt<Details[Route], Invocation<unknown, NewPayment & App>>((client, { options }) => {
      const created = client.post(payments, { app: options.app, body: paymentFields(options) });
      return created as Promise<Details[Route]>;
    }, text),
    move:
      (verb: string) =>
      async (invocation: Invocation<{ readonly id: string | undefined }, Moving>): Promise<void> => {
        const { id } = invocation.args;
        if (id === undefined) {
          throw usageError(
            `Which ${what}? Give its code or its id.`,
            `\`npx sandbox ${route} list\` shows them; then: npx sandbox ${route} ${verb} ${what}-1`,
          );
        }
        const path = `${route}/:id/${verb}` as MovePath;
        const { app, reason } = invocation.options;
        const move = present(
          (client) => client.post(path, { id, app, body: { reason } }),
          (io, view) => movedText(io, what, view),
        );
        await move(invocation);
      },
  };
}

export const charge = paymentCommands('charges', { columns: chargeColumns, text: chargeText });
export const withdrawal = paymentCommands('withdrawals', {
  columns: withdrawalColumns,
  text: withdrawalText,
});

import type { FailureReason } from '../../contract/failure-reasons.js';
import type { ChargeView, WithdrawalView } from '../../http/control/schema.js';
import type { Invocation, ValuesOf } from '../program/declaration.js';
import { usageError } from '../program/errors.js';
import type { Io } from '../program/io.js';
import type { PAGE } from '../program/shared-options.js';
import { pathFor, present, presentAt, presentPage } from '../sandbox/present.js';
import type { Column } from '../terminal/text.js';
import type { NewPayment } from './payment-options.js';
import { paymentFields } from './payment-options.js';
import { chargeColumns, chargeText, movedText, withdrawalColumns, withdrawalText } from './text.js';

interface Kind<View> {
  readonly columns: (io: Io, nowMs: number) => readonly Column<View>[];
  readonly text: (io: Io, view: View, nowMs: number) => string;
}

interface App {
  readonly app: string | undefined;
}

type Listing = ValuesOf<typeof PAGE> & { readonly status: string | undefined };
type Moving = App & { readonly reason?: FailureReason | undefined };

/** The code of the commands that list, show, create and move payments of a kind. */
function paymentCommands<View extends ChargeView | WithdrawalView>(
  what: string,
  { columns, text }: Kind<View>,
) {
  const route = `${what}s`;
  return {
    list: presentPage<View, Invocation<unknown, Listing>>(route, ({ status }) => ({ status }), columns),
    show: presentAt<View, Invocation<{ readonly id: string }, App>>(
      (client, { args, options }) => client.get<View>(pathFor([route, args.id], options)),
      text,
    ),
    create: presentAt<View, Invocation<unknown, NewPayment & App>>(
      (client, { options }) => client.post<View>(pathFor([route], options), paymentFields(options)),
      text,
    ),
    move:
      (verb: string) =>
      async (invocation: Invocation<{ readonly id: string | undefined }, Moving>): Promise<void> => {
        const { args, options } = invocation;
        if (args.id === undefined) {
          throw usageError(
            `Which ${what}? Give its code or its id.`,
            `\`npx pix-sandbox ${route} list\` shows them; then: npx pix-sandbox ${route} ${verb} ${what}-1`,
          );
        }
        const path = pathFor([route, args.id, verb], options);
        const { reason } = options;
        const move = present(
          (client) => client.post<View>(path, { reason }),
          (io, view) => movedText(io, what, view),
        );
        await move(invocation);
      },
  };
}

export const charge = paymentCommands<ChargeView>('charge', { columns: chargeColumns, text: chargeText });
export const withdrawal = paymentCommands<WithdrawalView>('withdrawal', {
  columns: withdrawalColumns,
  text: withdrawalText,
});

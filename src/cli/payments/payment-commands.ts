import type { ChargeView, PageView, WithdrawalView } from '../../http/control/schema.js';
import { pageQuery, pathFor } from '../program/arguments.js';
import { askedFor } from '../prompts/asked.js';
import { oneOfOrUsage } from '../program/closest.js';
import { usageError } from '../program/errors.js';
import type { CommandBody, Io } from '../program/io.js';
import { failureReason, paymentFields } from './payment-fields.js';
import { sandboxNow, showPage } from '../terminal/page.js';
import { movedText } from './text.js';
import type { Column } from '../terminal/text.js';
import { withSandbox } from '../sandbox/with-sandbox.js';

/** What charges and withdrawals differ in. */
interface PaymentKind<View> {
  readonly what: 'charge' | 'withdrawal';
  readonly statuses: readonly string[];
  readonly columns: (io: Io, nowMs: number) => readonly Column<View>[];
  readonly text: (io: Io, view: View, nowMs: number) => string;
}

/** The commands that list, show, create and move payments of a kind. */
export function paymentCommands<View extends ChargeView | WithdrawalView>({
  what,
  statuses,
  columns,
  text,
}: PaymentKind<View>) {
  const route = `${what}s`;

  const list: CommandBody = async (invocation) => {
    const { io, options } = invocation;
    const wanted = options.text('status');
    const status = wanted === undefined ? undefined : oneOfOrUsage(`${what} status`, wanted, statuses);
    await withSandbox(invocation, async (client) => {
      const page = await client.get<PageView<View>>(route, { ...pageQuery(options), status });
      await showPage(io, client, page, { what: route, columns: (nowMs) => columns(io, nowMs) });
    });
  };

  const show: CommandBody = (invocation) =>
    withSandbox(invocation, async (client) => {
      const { io, args, options } = invocation;
      const view = await client.get<View>(pathFor([route, args[0] ?? ''], options));
      io.emit(view);
      if (!io.json) io.say(text(io, view, await sandboxNow(client)));
    });

  const create: CommandBody = async (given) => {
    const isMissing = Object.keys(paymentFields(given.options)).length === 0;
    const invocation = await askedFor(isMissing, given, async () => {
      return (await import('./questions.js')).newPaymentQuestions(what);
    });
    const { io, options } = invocation;
    const fields = paymentFields(options);
    await withSandbox(invocation, async (client) => {
      const view = await client.post<View>(pathFor([route], options), fields);
      io.emit(view);
      if (!io.json) io.say(text(io, view, await sandboxNow(client)));
    });
  };

  const move =
    (verb: string): CommandBody =>
    async (given) => {
      const invocation = await askedFor(given.args.length === 0, given, async () => {
        return (await import('./questions.js')).moveQuestions(what, verb);
      });
      const { io, args, options } = invocation;
      const [id] = args;
      if (id === undefined) {
        throw usageError(
          `Which ${what}? Give its code or its id.`,
          `\`npx pix-sandbox ${route} list\` shows them; then: npx pix-sandbox ${route} ${verb} ${what}-1`,
        );
      }
      const reason = failureReason(options);
      await withSandbox(invocation, async (client) => {
        const view = await client.post<View>(pathFor([route, id, verb], options), { reason });
        io.emit(view);
        io.say(movedText(io, what, view));
      });
    };

  return { list, show, create, move };
}

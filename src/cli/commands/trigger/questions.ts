import type { EventType } from '../../../contract/events.js';
import { EVENT_TYPES } from '../../../contract/events.js';
import { paymentFields } from '../payments/command.js';
import type { InvocationOf } from '../../program/declaration.js';
import { withSandbox } from '../../sandbox/find-sandbox.js';
import type { Choice, Questions } from '../../prompts/asker.js';
import { movable, nameOf, paymentChoices } from '../payments/payments.js';
import type { trigger } from './command.js';

type Invocation = InvocationOf<typeof trigger>;
type Options = Invocation['options'];

/** What each event means, and which verbs cause it. */
const EVENTS: Readonly<Record<EventType, { readonly meaning: string; readonly verbs: readonly string[] }>> = {
  'pix.settled': { meaning: 'the payer pays', verbs: ['settle'] },
  'pix.failed': { meaning: 'the payment fails', verbs: ['fail'] },
  'pix.expired': { meaning: 'the time to pay ends', verbs: ['expire'] },
  'withdrawal.settled': { meaning: 'the banking network settles it', verbs: ['settle'] },
  'withdrawal.failed': { meaning: 'it fails, or comes back', verbs: ['fail', 'return'] },
};

const NEW = Symbol('new');

/** Asks which event, and which existing resource it applies to, if there is one. */
export const triggerQuestions: Questions<Invocation> = (invocation, asker) =>
  withSandbox(invocation, async (client) => {
    const { options } = invocation;
    const event = await asker.choose('Which event?', eventChoices(options));
    const what = event.startsWith('pix.') ? 'charge' : 'withdrawal';
    if (saysWhat(options)) return { args: [event] };
    const there = await paymentChoices(client, what, movable(what, EVENTS[event].verbs));
    if (there.length === 0) return { args: [event] };
    const chosen = await asker.choose<string | undefined | typeof NEW>(`To which ${what}?`, [
      { value: NEW, name: `a new ${what}` },
      ...there,
    ]);
    if (chosen === NEW) return { args: [event] };
    return { args: [event], options: { [what]: await nameOf(what, chosen, asker) } };
  });

function eventChoices({ charge, withdrawal, late }: Options): Choice<EventType>[] {
  const isCharge = charge !== undefined || late;
  const isWithdrawal = withdrawal !== undefined;
  return EVENT_TYPES.filter((type) => !(type.startsWith('pix.') ? isWithdrawal : isCharge))
    .filter((type) => !late || type === 'pix.settled')
    .map((value) => ({ value, name: value, description: EVENTS[value].meaning }));
}

function saysWhat(options: Options): boolean {
  const { charge, withdrawal, count } = options;
  return (charge ?? withdrawal ?? count) !== undefined || Object.keys(paymentFields(options)).length > 0;
}

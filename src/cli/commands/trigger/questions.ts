import type { EventType } from '../../../core/world.js';
import { EVENT_TYPES } from '../../../core/world.js';
import type { Options } from '../../program/io.js';
import { paymentFields } from '../../payments/payment-fields.js';
import { withSandbox } from '../../sandbox/with-sandbox.js';
import type { Choice } from '../../prompts/asker.js';
import { movable, nameOf, paymentChoices } from '../../payments/questions.js';
import type { LegacyQuestions } from '../../prompts/questions.js';

/** What each event means, and which verbs bring it about. */
const EVENTS: Readonly<Record<EventType, { readonly meaning: string; readonly verbs: readonly string[] }>> = {
  'pix.settled': { meaning: 'the payer pays', verbs: ['settle'] },
  'pix.failed': { meaning: 'the payment fails', verbs: ['fail'] },
  'pix.expired': { meaning: 'the time to pay ends', verbs: ['expire'] },
  'withdrawal.settled': { meaning: 'the banking network settles it', verbs: ['settle'] },
  'withdrawal.failed': { meaning: 'it fails, or comes back', verbs: ['fail', 'return'] },
};

const NEW = Symbol('new');

/** Which event, and what it is to happen to where something is there for it. */
export const triggerQuestions: LegacyQuestions = {
  command: 'trigger',
  ask: (invocation, asker) =>
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
    }),
};

/** Those that fit what was typed. */
function eventChoices(options: Options): Choice<EventType>[] {
  const isCharge = options.text('charge') !== undefined || options.flag('late');
  const isWithdrawal = options.text('withdrawal') !== undefined;
  return EVENT_TYPES.filter((type) => !(type.startsWith('pix.') ? isWithdrawal : isCharge))
    .filter((type) => !options.flag('late') || type === 'pix.settled')
    .map((value) => ({ value, name: value, description: EVENTS[value].meaning }));
}

function saysWhat(options: Options): boolean {
  const names = [options.text('charge'), options.text('withdrawal'), options.text('count')];
  return names.some((name) => name !== undefined) || Object.keys(paymentFields(options)).length > 0;
}

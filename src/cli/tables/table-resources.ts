import type { CommandSpec } from '../program/command-spec.js';
import { APP, LIST_OPTIONS, NEW_CHARGE, NEW_WITHDRAWAL, REASON } from '../program/command-spec.js';
import { EXAMPLE_IDS } from '../program/example-ids.js';

const charges = () => import('../commands/charges/charges.js');
const withdrawals = () => import('../commands/withdrawals/withdrawals.js');
const history = () => import('../commands/deliveries/history.js');
const endpoints = () => import('../commands/endpoints/endpoints.js');

/** The commands that look at what there is and change it. */
export const RESOURCE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'charges list',
    summary: 'charges, newest first',
    options: [{ flags: '--status <status>', description: 'only in this state' }, ...LIST_OPTIONS],
    examples: ['', '--status PENDING --limit 10'],
    load: async () => (await charges()).list,
  },
  {
    name: 'charges show',
    summary: 'one charge',
    args: ['<id>'],
    options: [APP],
    examples: ['order-1', 'order-1 --json'],
    load: async () => (await charges()).show,
  },
  {
    name: 'charges create',
    summary: 'create a charge without signing a request',
    options: [...NEW_CHARGE, APP],
    examples: ['--amount 10.00 --code order-1', '--amount 99.90 --metadata order=7'],
    load: async () => (await charges()).create,
  },
  ...(['settle', 'fail', 'expire'] as const).map((verb) => ({
    name: `charges ${verb}`,
    summary: { settle: 'the payer pays', fail: 'the payment fails', expire: 'the time to pay ends now' }[
      verb
    ],
    args: ['[id]'],
    options: verb === 'fail' ? [REASON, APP] : [APP],
    examples: ['order-1', 'order-1 --json'],
    load: async () => (await charges()).move(verb),
  })),
  {
    name: 'withdrawals list',
    summary: 'withdrawals, newest first',
    options: [{ flags: '--status <status>', description: 'only in this state' }, ...LIST_OPTIONS],
    examples: ['', '--status PENDING --limit 10'],
    load: async () => (await withdrawals()).list,
  },
  {
    name: 'withdrawals show',
    summary: 'one withdrawal',
    args: ['<id>'],
    options: [APP],
    examples: ['payout-1', 'payout-1 --json'],
    load: async () => (await withdrawals()).show,
  },
  {
    name: 'withdrawals create',
    summary: 'pay out to a PIX key',
    options: [...NEW_CHARGE.filter(({ flags }) => !flags.startsWith('--payer')), ...NEW_WITHDRAWAL, APP],
    examples: ['--amount 25.00 --code payout-1', '--amount 500.00 --pix-key maria@example.com'],
    load: async () => (await withdrawals()).create,
  },
  ...(['process', 'settle', 'fail', 'return'] as const).map((verb) => ({
    name: `withdrawals ${verb}`,
    summary: {
      process: 'the bank takes it up',
      settle: 'the banking network settles it',
      fail: 'the banking network rejects it',
      return: 'the destination bank sends it back',
    }[verb],
    args: ['[id]'],
    options: verb === 'fail' || verb === 'return' ? [REASON, APP] : [APP],
    examples: ['payout-1', 'payout-1 --json'],
    load: async () => (await withdrawals()).move(verb),
  })),
  {
    name: 'events list',
    summary: 'events, newest first',
    options: [{ flags: '--type <event>', description: 'only of this type' }, ...LIST_OPTIONS],
    examples: ['', '--type pix.settled'],
    load: async () => (await history()).listEvents,
  },
  {
    name: 'events show',
    summary: 'one event: its payload and its deliveries',
    args: ['<id>'],
    examples: [EXAMPLE_IDS.event, `${EXAMPLE_IDS.event} --json`],
    load: async () => (await history()).showEvent,
  },
  {
    name: 'events resend',
    summary: 'deliver an event again, under the same webhook-id',
    args: ['<id>'],
    options: [{ flags: '--endpoint <id>', description: 'to this endpoint only' }],
    examples: [EXAMPLE_IDS.event, `${EXAMPLE_IDS.event} --json`],
    load: async () => (await history()).resendEvent,
  },
  {
    name: 'deliveries list',
    summary: 'deliveries, newest first',
    options: [
      { flags: '--status <status>', description: 'PENDING, DELIVERED or FAILED' },
      { flags: '--type <event>', description: 'only of this event type' },
      { flags: '--endpoint <id>', description: 'only to this endpoint' },
      { flags: '--event <id>', description: 'only of this event' },
      ...LIST_OPTIONS,
    ],
    examples: ['', '--status FAILED'],
    load: async () => (await history()).listDeliveries,
  },
  {
    name: 'deliveries show',
    summary: 'one delivery with every attempt',
    args: ['<id>'],
    examples: [EXAMPLE_IDS.delivery, `${EXAMPLE_IDS.delivery} --json`],
    load: async () => (await history()).showDelivery,
  },
  {
    name: 'deliveries retry',
    summary: 'make one more attempt of a dead letter, or of all of them',
    args: ['[id]'],
    options: [{ flags: '--failed', description: 'every delivery that is FAILED' }],
    examples: [EXAMPLE_IDS.delivery, '--failed'],
    load: async () => (await history()).retryDelivery,
  },
  {
    name: 'deliveries pause',
    summary: 'hold every attempt back from now on',
    examples: ['', '--json'],
    load: async () => (await history()).pauseDeliveries,
  },
  {
    name: 'deliveries resume',
    summary: 'let go what was held back, in order',
    examples: ['', '--json'],
    load: async () => (await history()).resumeDeliveries,
  },
  {
    name: 'endpoints list',
    summary: 'endpoints and listeners',
    examples: ['', '--json'],
    load: async () => (await endpoints()).list,
  },
  {
    name: 'endpoints create',
    summary: 'register a webhook URL; prints its secret once',
    args: ['<url>'],
    options: [
      { flags: '--events <types>', description: 'separated by commas (default: all)' },
      { flags: '--description <text>', description: 'what it is for' },
      APP,
    ],
    examples: ['https://shop.example/webhooks', 'https://shop.example/webhooks --events pix.settled'],
    load: async () => (await endpoints()).create,
  },
  ...(['delete', 'disable', 'enable'] as const).map((verb) => ({
    name: `endpoints ${verb}`,
    summary: {
      delete: 'take an endpoint away; its pending deliveries fail',
      disable: 'deliver nothing to it; its pending deliveries fail',
      enable: 'deliver to it again',
    }[verb],
    args: ['<id>'],
    examples: [EXAMPLE_IDS.endpoint, `${EXAMPLE_IDS.endpoint} --json`],
    load: async () => (await endpoints()).change(verb),
  })),
];

import { SESSION_DECISIONS, SESSION_STATUSES } from '../../../contract/transitions.js';
import { CUSTOMER_TYPES } from '../../../contract/enums.js';
import { rows, words } from '../../completion/sources.js';
import { declare, group } from '../../program/declaration.js';
import { choice, duration, optional, required, text } from '../../program/options.js';
import { APP, EXAMPLE_IDS, PAGE } from '../../program/shared-options.js';

const create = declare({
  name: 'kyc create',
  summary: 'create a session and print the address of its page',
  options: {
    customerType: choice(
      'type',
      'individual or business (default: individual)',
      CUSTOMER_TYPES,
      'customer type',
    ),
    ...APP,
  },
  examples: ['', '--customer-type business'],
});

const list = declare({
  name: 'kyc list',
  summary: 'sessions, newest first; their ids are shortened',
  options: {
    status: choice('status', 'only in this state', SESSION_STATUSES, 'session status'),
    ...PAGE,
  },
  examples: ['', '--status approved'],
});

const show = declare({
  name: 'kyc show',
  summary: 'one session, by its id or the beginning of it',
  description:
    'Its whole id and the address of its page are credentials, shown to those who give the whole id, or with --json.',
  args: { id: required(rows('sessions')) },
  examples: [EXAMPLE_IDS.session],
});

const decide = declare({
  name: 'kyc decide',
  summary: 'decide a session, or make its page report an error',
  args: { id: optional(rows('sessions')), status: optional(words(SESSION_DECISIONS)) },
  options: {
    document: text('document', 'CPF or CNPJ of the person or company; the euid is derived from it'),
    delay: duration('duration', 'how long until the decision can be read (default: at once)'),
    error: text('code', 'instead of a status: the page calls onError with it'),
  },
  examples: [
    `${EXAMPLE_IDS.session} approved --document 529.982.247-25`,
    `${EXAMPLE_IDS.session} --error CAMERA_DENIED`,
  ],
});

export const KYC = { create, list, show, decide };

export default group(
  { about: 'identity sessions: create, list, show, decide', related: ['calls', 'env'] },
  KYC,
  async () => (await import('./kyc.js')).kyc,
  {
    decide: {
      when: ({ args, options }) =>
        args.id === undefined || (args.status === undefined && options.error === undefined),
      load: async () => (await import('./kyc.js')).decideQuestions,
    },
  },
);

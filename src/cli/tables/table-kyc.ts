import type { CommandSpec } from '../program/command-spec.js';
import { APP, LIST_OPTIONS } from '../program/command-spec.js';
import { EXAMPLE_IDS } from '../program/example-ids.js';

const kyc = () => import('../commands/kyc/kyc.js');

/** The commands of identity verification. */
export const KYC_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'kyc create',
    summary: 'create a session and print the address of its page',
    options: [
      { flags: '--customer-type <type>', description: 'individual or business (default: individual)' },
      APP,
    ],
    examples: ['', '--customer-type business'],
    load: async () => (await kyc()).create,
  },
  {
    name: 'kyc list',
    summary: 'sessions, newest first; their ids are shortened',
    options: [{ flags: '--status <status>', description: 'only in this state' }, ...LIST_OPTIONS],
    examples: ['', '--status approved'],
    load: async () => (await kyc()).list,
  },
  {
    name: 'kyc show',
    summary: 'one session, by its id or the beginning of it',
    args: ['<id>'],
    examples: [EXAMPLE_IDS.session, `${EXAMPLE_IDS.session} --json`],
    load: async () => (await kyc()).show,
  },
  {
    name: 'kyc decide',
    summary: 'decide a session, or let its page report an error',
    args: ['[id]', '[status]'],
    options: [
      {
        flags: '--document <document>',
        description: 'CPF or CNPJ of who was verified; the euid follows from it',
      },
      { flags: '--delay <duration>', description: 'the decision can be read after it (default: at once)' },
      { flags: '--error <code>', description: 'instead of a status: the page calls onError with it' },
    ],
    examples: [
      `${EXAMPLE_IDS.session} approved --document 529.982.247-25`,
      `${EXAMPLE_IDS.session} --error CAMERA_DENIED`,
    ],
    load: async () => (await kyc()).decide,
  },
];

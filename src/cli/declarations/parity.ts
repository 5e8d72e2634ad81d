import { completeFiles } from '../completion/sources.js';
import { declareCommand } from '../program/declaration.js';
import { defineCount, defineDuration, defineFlag, defineText } from '../program/options.js';

/** Credentials for the TEST environment. SANDBOX_* variables are never sent to another server. */
export const PARITY_VARIABLES = [
  { name: 'PARITY_TOKEN', meaning: 'bearer token; further tokens with fewer scopes after commas' },
  { name: 'PARITY_SIGNING_SECRET', meaning: 'signing secret of the application' },
  { name: 'PARITY_ACCOUNT_ID', meaning: 'an account of the application' },
  { name: 'PARITY_KYC_TOKEN', meaning: '--against-kyc: token of the identity API' },
] as const;

const DEFAULT_ENDPOINT_PORT = 7491;

export const PARITY_COMMANDS = {
  probe: declareCommand({
    name: 'parity probe',
    summary: 'compare the sandbox’s assumptions with the real TEST environment',
    description:
      'Asks the TEST environment, or any other implementation, the questions that the contract leaves open, ' +
      'and this sandbox the same ones. Learns from refusals: signed requests about random ids, and charges for ' +
      'an unknown account. Without --charges, --sessions and --endpoint, nothing is created. Sends one request ' +
      'per second, at most 55, and stops at the first sign of trouble. Writes the results to parity.json for ' +
      '`parity check`. After Ctrl-C or a stop, the same command resumes.',
    options: {
      against: defineText('url', 'origin of the payments API, with https'),
      againstKyc: defineText('url', 'origin of the identity API'),
      charges: defineFlag('also create five unpaid charges'),
      sessions: defineFlag('--against-kyc: also create an identity session'),
      endpoint: defineText('url', 'also register this URL, and wait for the webhooks of a payment'),
      endpointPort: defineCount(
        'port',
        `--endpoint: the local port that the URL leads to (default: ${DEFAULT_ENDPOINT_PORT})`,
      ),
      wait: defineDuration('duration', '--endpoint: time to wait for a payment (default: 10m)'),
      environmentIsTest: defineFlag('send more than GET requests even if no resource states its environment'),
      write: defineFlag('add the differing settings to sandbox.config.json'),
      yes: defineFlag('start without asking'),
    },
    examples: [
      '--against https://api.example',
      '--against https://api.example --charges --write',
      '--against http://localhost:8080 --yes',
    ],
    exits: {
      1: 'something differs, or the probe was stopped',
      4: 'interrupted; the same command resumes',
    },
    related: ['parity check', 'assumptions', 'config'],
    environment: PARITY_VARIABLES,
  }),
  check: declareCommand({
    name: 'parity check',
    summary: 'compare the sandbox with the recorded results of a probe, offline',
    description:
      'Reads parity.json in the current directory and sends the recorded requests to a sandbox with this ' +
      'project’s settings, in this process. Facts that were never observed do not fail.',
    options: {
      maxAge: defineDuration('duration', 'warn about facts observed longer ago, e.g. 30d'),
      baseline: defineText(
        'file',
        'file of known differences, each with a reason and an expiry date',
        completeFiles,
      ),
      writeBaseline: defineText('file', 'write a baseline file for the current differences', completeFiles),
      write: defineFlag('add the differing settings to sandbox.config.json'),
    },
    examples: ['', '--max-age 30d', '--baseline parity-baseline.json'],
    exits: { 1: 'a recorded fact differs, or a baseline entry is outdated' },
    related: ['parity probe', 'assumptions'],
  }),
};

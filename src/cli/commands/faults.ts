import { EVENT_TYPES } from '../../contract/enums.js';
import {
  FAULT_DEFAULTS,
  FAULT_APIS,
  type FaultField,
  FAULTS,
  holdsDeliveries,
  isSharedAction,
  RESTART_MOMENTS,
} from '../../contract/fault-kinds.js';
import { formatDuration } from '../../contract/time.js';
import { closestMatches } from '../../text/closest.js';
import type { FaultView } from '../../http/control/schema.js';
import { completeWithDescriptions, completeRows, completeWords } from '../completion/sources.js';
import type { ControlClient } from '../../client/control.js';
import type { Io } from '../program/io.js';
import { parseChoice, createUsageError } from '../program/errors.js';
import { declareCommand, type OptionValuesOf } from '../program/declaration.js';
import {
  defineDelay,
  defineDuration,
  defineFlag,
  promptForArgument,
  defineNumber,
  acceptArgument,
  defineText,
} from '../program/options.js';
import { EVENT_PATTERN_VALUES, EXAMPLE_IDS, defineMethod } from '../program/shared-options.js';
import type { PromptAnswers, Prompter, PromptChoice, PromptFlow } from '../prompts/prompter.js';
import { createColumn, formatItems, formatList, toOneLine } from '../terminal/text.js';
import { formatInstant } from '../terminal/time-text.js';

type Kind = keyof typeof FAULTS;
const MEANINGS = Object.fromEntries(
  Object.values(FAULTS).flatMap((kinds) =>
    Object.entries(kinds).map(([name, { meaning }]) => [name, meaning]),
  ),
);
const ACTIONS = Object.keys(MEANINGS);

/** Builds an option's help text, starting with the faults it applies to. */
function describeFaultOption(field: FaultField, meaning: string, usual: number | string): string {
  const all = Object.values(FAULTS).flatMap((kinds) => Object.entries(kinds));
  const faults = all.filter(([, { fields }]) => fields?.includes(field)).map(([name]) => name);
  return `${[...new Set(faults)].join(', ')}: ${meaning} (default: ${usual})`;
}

/** Target and frequency of a fault. */
const TARGET = {
  method: defineMethod('API requests: only requests with this method'),
  path: defineText(
    'path',
    'API requests: only requests to this path (* matches anything), which must match a route',
  ),
  api: defineText(
    'api',
    'API requests: only requests to this API (api or identity)',
    completeWords(FAULT_APIS),
  ),
  event: defineText(
    'type',
    'deliveries: only for this event type (* matches anything)',
    completeWords(EVENT_PATTERN_VALUES),
  ),
  endpoint: defineText(
    'id',
    'deliveries: only to this endpoint id or URL, e.g. */webhooks',
    completeRows('endpoints'),
  ),
  attempt: defineNumber('n', 'deliveries: only on the attempt with this number'),
  code: defineText('code', 'only for the charge or withdrawal with this code (* matches anything)'),
  resource: defineNumber('n', 'only for the nth charge, withdrawal or session, in order of creation'),
  nth: defineNumber('n', 'only the nth match'),
  every: defineNumber('n', 'only every nth match: 2 for the second, fourth and sixth'),
};

const INCIDENT_ADVICE = ' To simulate an outage: `npx sandbox incident list`.';

/** Suggests faults of a similar name, or with a word of the text, e.g. `duplicate` for `webhook-duplicate`. */
function suggestFaults<Action extends string>(text: string, actions: readonly Action[]): readonly Action[] {
  const close = closestMatches(text, actions);
  const words = text.toLowerCase().split(/[^a-z]+/);
  return close.length > 0 ? close : actions.filter((action) => words.includes(action));
}

/** Window of a fault in sandbox time. */
const WINDOW = {
  for: defineDuration('duration', 'end the fault after this sandbox time, e.g. 10m'),
  from: defineText('instant', 'start the fault at this sandbox time, e.g. 2026-01-31T12:00:00Z'),
  until: defineText('instant', 'end the fault at this sandbox time'),
};

const OPTIONS = {
  on: defineText(
    'what',
    'call or delivery, for faults that apply to both',
    completeWords(['call', 'delivery']),
  ),
  ...TARGET,
  status: defineNumber('status', describeFaultOption('status', 'the response status', FAULT_DEFAULTS.status)),
  delay: defineDelay(
    describeFaultOption(
      'delay',
      'delay in real time, e.g. 2s or 0.5s~2s (median~99th percentile)',
      formatDuration(FAULT_DEFAULTS.delayMs),
    ),
  ),
  copies: defineNumber('n', describeFaultOption('copies', 'number of extra copies', FAULT_DEFAULTS.copies)),
  parallel: defineFlag(
    describeFaultOption('parallel', 'send the copies concurrently with the original', 'one by one'),
  ),
  when: defineText(
    'when',
    describeFaultOption('when', RESTART_MOMENTS.join(' or '), FAULT_DEFAULTS.when),
    completeWords(RESTART_MOMENTS),
  ),
  probability: defineNumber('p', 'probability, above 0 and up to 1 (default: 1)'),
  count: defineNumber('n', 'maximum number of times to fire (default: unlimited)'),
  ...WINDOW,
};

type Options = OptionValuesOf<typeof OPTIONS>;
type Answered = NonNullable<PromptAnswers['options']>;

export default {
  about: 'inject failures into API requests and deliveries',
  related: ['incident', 'calls', 'deliveries show', 'listen'],
  commands: [
    declareCommand({
      name: 'faults add',
      summary: 'inject a failure into API requests or deliveries',
      description:
        `For API requests: ${Object.keys(FAULTS.call).join(', ')}. For deliveries: ` +
        `${Object.keys(FAULTS.delivery).join(', ')}.`,
      args: {
        fault: promptForArgument(
          `Specify a fault: one of ${ACTIONS.join(', ')}.`,
          'For example: npx sandbox faults add lose-response --count 1',
          completeWithDescriptions(MEANINGS),
        ),
      },
      options: OPTIONS,
      examples: [
        'lose-response --path /api/public/v1/pix --count 1',
        'duplicate --event pix.* --probability 0.2',
        'lose-response --path /api/public/v1/pix --nth 2',
        'status --status 503 --for 10m',
      ],
      check: ({ args: { fault }, options: { on } }) => {
        parseChoice('fault', fault, ACTIONS, suggestFaults, INCIDENT_ADVICE);
        if (on !== undefined || !isSharedAction(fault)) return;
        const value = FAULTS.call[fault]?.fields?.includes('delay') ? ' --delay 2s' : '';
        throw createUsageError(
          `${fault} applies to API requests and to deliveries; pass --on call or --on delivery.`,
          `For example: npx sandbox faults add ${fault} --on call${value}`,
        );
      },
      asks: { load: async () => addQuestions },
    }).shows(
      (client, { args: { fault: action }, options: { url: _url, delay, for: length, ...fields } }) =>
        client.post('faults', { body: { action, ...fields, delay: delay?.text, for: length?.text } }),
      (io, fault) => formatItems([fault.id, toOneLine(describe(fault), 0)], '  ', io.columns).join('\n'),
      noteFrozenWindow,
    ),
    declareCommand({ name: 'faults list', summary: 'list faults and how often each fired' }).shows(
      (client) => client.get('faults'),
      formatList('No faults.', () => [
        createColumn('id'),
        { title: 'FAULT', value: describe, wraps: true },
        createColumn('fired'),
        { title: 'MATCHED', value: ({ seen }) => String(seen) },
      ]),
    ),
    declareCommand({
      name: 'faults remove',
      aliases: { 'faults clear': { all: true } },
      summary: 'remove one fault by its full id, or all faults',
      args: { id: acceptArgument(completeRows('faults')) },
      options: { all: defineFlag('remove all faults') },
      examples: ['--all', EXAMPLE_IDS.fault],
      check: ({ args: { id }, options }) => {
        if (id === 'all')
          throw createUsageError(
            'There is no fault named all.',
            'To remove all faults: `npx sandbox faults remove --all`.',
          );
        if (id === undefined && !options.all)
          throw createUsageError('Specify a fault id, or --all.', '`npx sandbox faults list` shows the ids.');
      },
    }).shows(
      (client, { args: { id } }) =>
        id === undefined ? client.delete('faults') : client.delete('faults/:id', { id }),
      (_, { removed }) => `Removed ${removed} ${removed === 1 ? 'fault' : 'faults'}.`,
    ),
  ],
};

/** Returns a note if a window cannot end until the frozen clock is advanced. */
export async function noteFrozenWindow(
  { program }: Io,
  { until }: Pick<FaultView, 'until'>,
  _: number,
  { client }: { readonly client: ControlClient },
): Promise<string> {
  const isFrozen = until !== null && (await client.get('clock')).frozen;
  return isFrozen ? `The clock is frozen: \`${program} clock advance\` passes the window.` : '';
}

function describe(fault: FaultView): string {
  const { id: _id, action, on, seen: _seen, fired: _fired, probability, ...rest } = fault;
  const details = Object.entries(rest).filter(([, value]) => value !== null);
  const words = details.map(([name, value]) =>
    name === 'from' || name === 'until' ? `${name} ${formatInstant(String(value))}` : `${name} ${value}`,
  );
  const chance = probability === 1 ? [] : [`with probability ${probability}`];
  return [`${action} on ${on === 'call' ? 'API requests' : 'deliveries'}`, ...words, ...chance].join(', ');
}

/** Prompt choices for matching requests. */
const CALLS: readonly PromptChoice<Answered>[] = [
  { value: { method: 'POST', path: '/api/public/v1/pix' }, name: 'creating a charge' },
  { value: { path: '/api/public/v1/*' }, name: 'the payments API' },
  { value: { api: 'identity' }, name: 'the identity API' },
  { value: {}, name: 'every API request' },
];

const DELIVERIES: readonly PromptChoice<Answered>[] = [
  { value: {}, name: 'every delivery' },
  ...EVENT_TYPES.map((event) => ({ value: { event }, name: event })),
];

const FREQUENCY_CHOICES: readonly PromptChoice<Answered>[] = [
  { value: { count: '1' }, name: 'once' },
  { value: { probability: '0.2' }, name: 'one time in five' },
  { value: { for: '10m' }, name: 'every time, for 10m of sandbox time' },
  { value: {}, name: 'every time, until it is removed' },
];

const LENGTH_CHOICES: readonly PromptChoice<Answered>[] = ['10m', '2h'].map((length) => ({
  value: { for: length },
  name: `for ${length} of sandbox time`,
}));

/** Prompts for the fault, its target and its frequency, unless already specified. */
const addQuestions: PromptFlow<{ readonly options: Options }> = async ({ options }, asker) => {
  const [kind, action] = await asker.choose('What should go wrong?', faultChoices(options));
  const on = isSharedAction(action) && options.on === undefined ? kind : undefined;
  const isTimed = ['count', 'probability', 'for', 'until'].some((name) => options[name as keyof Options]);
  const target = await targetOf(kind, action, options, asker);
  const choices = holdsDeliveries(action) ? LENGTH_CHOICES : FREQUENCY_CHOICES;
  const times = isTimed ? {} : await asker.choose('How long or how often?', choices);
  return { args: [action], options: { on, ...target, ...times } };
};

function faultChoices({ on }: Options): PromptChoice<[kind: Kind, action: string]>[] {
  const kinds = (['call', 'delivery'] as const).filter((kind) => (on ?? kind) === kind);
  return kinds.flatMap((kind) =>
    Object.entries(FAULTS[kind]).map(([action, { meaning: description }]): PromptChoice<[Kind, string]> => ({
      value: [kind, action],
      name: `${kind}: ${action}`,
      description,
    })),
  );
}

async function targetOf(kind: Kind, action: string, options: Options, asker: Prompter): Promise<Answered> {
  const names = Object.keys(TARGET) as (keyof typeof TARGET)[];
  const hasRoutes = kind === 'call' && FAULTS.call[action]?.routes !== undefined;
  if (hasRoutes || names.some((name) => options[name] !== undefined)) return {};
  return kind === 'call'
    ? asker.choose('Which API requests should the fault affect?', CALLS)
    : asker.choose('Which deliveries should the fault affect?', DELIVERIES);
}

import { INCIDENTS } from '../../contract/incidents.js';
import type { NewIncident } from '../../client/routes.js';
import type { IncidentView } from '../../http/control/schema.js';
import { FaultFileError, parseIncidentFile } from '../../sandbox/faults/fault-file.js';
import { completeRows, completeWithDescriptions, type ValueSource } from '../completion/sources.js';
import { createUsageError, parseChoice } from '../program/errors.js';
import { declareCommand } from '../program/declaration.js';
import { STDIN, readBytes } from '../program/input-bytes.js';
import type { Io } from '../program/io.js';
import {
  acceptArgument,
  defineDuration,
  type Duration,
  parseDurationOption,
  promptForArgument,
} from '../program/options.js';
import type { PromptFlow } from '../prompts/prompter.js';
import { createColumn, formatFacts, formatList } from '../terminal/text.js';
import { noteFrozenWindow } from './faults.js';
import { formatMoment, formatRelativeTime } from '../terminal/time-text.js';

const DESCRIPTIONS = Object.fromEntries(
  Object.entries(INCIDENTS).map(([name, { description }]) => [name, description]),
);
const NAMES = Object.keys(DESCRIPTIONS);

const completeIncidents: ValueSource = async (...typed) => ({
  ...(await completeWithDescriptions(DESCRIPTIONS)(...typed)),
  paths: 'files',
});

export default {
  about: 'simulate an outage: faults that start and end together',
  related: ['faults', 'clock advance', 'explore'],
  commands: [
    declareCommand({
      name: 'incident start',
      aliases: Object.fromEntries(NAMES.map((name) => [`incident ${name}`, { incident: name }])),
      summary: 'start a built-in incident, or an incident from a JSON file',
      description:
        `Built in: ${NAMES.join(', ')}. A file has a name, a duration and faults, as in \`faults add\`. ` +
        'The duration is sandbox time; `clock advance` passes through the incident.',
      args: {
        incident: promptForArgument(
          `Specify an incident: one of ${NAMES.join(', ')}, or a JSON file.`,
          'For example: npx sandbox incident start api-down',
          completeIncidents,
        ),
        duration: {
          form: 'optional' as const,
          read: ([given]: readonly string[]): Duration | undefined =>
            given ? parseDurationOption(given, 'The duration') : undefined,
        },
      },
      options: { for: defineDuration('duration', 'the duration, instead of the argument') },
      examples: ['api-down', 'webhooks-delayed 2h', './bank-outage.json'],
      check: ({ args, options }) => {
        if (args.duration !== undefined && options.for !== undefined)
          throw createUsageError(
            'Pass the duration once: as an argument or with --for.',
            'Omit one of them.',
          );
      },
      asks: { load: async () => startQuestions },
    }).shows(
      async (client, { io, args: { incident, duration: given }, options }) => {
        const duration = given ?? options.for;
        const body = await readIncident(io, incident);
        return client.post('incidents', {
          body: duration === undefined ? body : { ...body, duration: duration.text },
        });
      },
      (io, incident, nowMs) => formatFacts(io, describe(incident, nowMs)),
      noteFrozenWindow,
    ),
    declareCommand({
      name: 'incident list',
      summary: 'list incidents, and the remaining time of running incidents',
    }).shows(
      (client) => client.get('incidents'),
      formatList('No incidents.', (_, nowMs) => [
        createColumn('name'),
        { title: 'STATE', value: (incident) => stateOf(incident, nowMs) },
        { title: 'DURATION', value: ({ duration }) => duration ?? '' },
        { title: 'EFFECT', value: ({ description }) => description, wraps: true },
      ]),
    ),
    declareCommand({
      name: 'incident stop',
      summary: 'stop one incident, or all incidents, and release held webhooks',
      args: { name: acceptArgument(completeRows('incidents')) },
      examples: ['', 'api-down'],
    }).shows(
      (client, { args: { name } }) =>
        name === undefined ? client.delete('incidents') : client.delete('incidents/:name', { name }),
      (_, { stopped }) =>
        stopped.length === 0 ? 'No incident is running.' : `Stopped ${stopped.join(', ')}.`,
    ),
  ],
};

/** Reads an incident file; any other word must be the name of a built-in incident. */
async function readIncident(io: Io, incident: string): Promise<NewIncident> {
  if (incident !== STDIN && !/[/\\]|\.json$/i.test(incident))
    return { name: parseChoice('incident', incident, NAMES) };
  const text = (await readBytes(io, incident)).toString();
  try {
    return parseIncidentFile(incident === STDIN ? 'stdin' : incident, text) as NewIncident;
  } catch (error) {
    throw error instanceof FaultFileError ? createUsageError(error.message, error.hint) : error;
  }
}

function describe({ name, description, until, fault_ids: faults }: IncidentView, nowMs: number) {
  const end = until === null ? 'when it is stopped' : formatMoment(until, nowMs);
  return [
    ['incident', name],
    ['effect', description],
    ['faults', String(faults.length)],
    ['ends', end],
  ] as const;
}

function stateOf({ running, until }: IncidentView, nowMs: number): string {
  if (!running) return '';
  return until === null ? 'running' : `ends ${formatRelativeTime(until, nowMs)}`;
}

const startQuestions: PromptFlow<unknown> = async (_, asker) => ({
  args: [
    await asker.choose(
      'Which incident?',
      Object.entries(INCIDENTS).map(([value, { description, duration }]) => ({
        value,
        name: `${value} (${duration})`,
        description,
      })),
    ),
  ],
});

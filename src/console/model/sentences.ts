import type { EntryView } from '../../http/control/timeline.js';
import { parseListenerTarget } from '../../text/listener-name.js';
import { consoleTexts } from '../words.js';

type Table = Readonly<Record<string, string | undefined>>;

/**
 * Describes an entry as a sentence in the browser's language. `code` is the payment code from the entry's
 * history, because a command contains only the payment's id. Omits the service's path prefix.
 */
export function describeEntry(entry: EntryView, code = entry.code): string {
  return SENTENCES[entry.kind]?.(entry, code) ?? entry.title;
}

const SENTENCES: Partial<
  Record<EntryView['kind'], (entry: EntryView, code: string | undefined) => string | undefined>
> = {
  call: ({ method, path = '' }) => `${method} ${path.replace(/^\/api\/(?:public\/)?v1(?=\/)/, '')}`,
  command: describeCommand,
  change: describeChange,
  event: ({ event_type: type }) => type,
  delivery: ({ event_type: type, target }) => `${type} → ${formatTarget(target)}`,
  attempt: ({ attempt, event_type: type }) => `${consoleTexts.names.attempt} ${attempt}: ${type}`,
  fault: describeFault,
  listener: describeEndpointChange,
  clock: describeClock,
  state: ({ to = '', id }) => join((consoleTexts.sentences.states as Table)[to], id ?? ''),
};

/**
 * Joins the parts of a sentence. Returns undefined without a sentence, so that the entry's title is shown
 * instead.
 */
function join(sentence: string | undefined, ...rest: readonly string[]): string | undefined {
  return sentence === undefined ? undefined : [sentence, ...rest].filter((part) => part !== '').join(' ');
}

function describeCommand({ command = '', event_type: type = '', title }: EntryView, code = '') {
  const { commands } = consoleTexts.sentences;
  if (command === 'trigger')
    return [commands.trigger, type || title.replace(/^trigger /, ''), code].join(' ').trim();
  return join((commands as Table)[command], code);
}

function describeChange(entry: EntryView): string | undefined {
  const { resource, to = '', code, id } = entry;
  if (resource === 'endpoint') return describeEndpointChange(entry);
  const changes = consoleTexts.sentences.changes[resource ?? 'charge'] as Readonly<
    Record<string, ((name: string) => string) | undefined>
  >;
  return changes[to]?.(code ?? id ?? '');
}

function describeEndpointChange({ kind, to = '', target }: EntryView): string | undefined {
  const change = (consoleTexts.sentences.endpoint as Table)[to];
  const name = kind === 'listener' ? 'Listener' : 'Endpoint';
  return change === undefined ? undefined : `${name} ${formatTarget(target)} ${change}`;
}

function describeFault(entry: EntryView): string | undefined {
  const { sentences } = consoleTexts;
  const { command, faults = [], attempt, event_type: type, target, to } = entry;
  if (command?.startsWith('incident.'))
    return join(sentences.commands[command as 'incident.start'], entry.title.split(' ')[1] ?? '');
  if (command !== undefined) return describeCommand(entry);
  if (to !== undefined) return sentences.due['fault.end'](entry.title);
  if (faults.length > 0) return sentences.faultFired(faults.join(', '), attempt);
  return type === undefined ? undefined : sentences.faultSent(type, formatTarget(target) ?? '');
}

function describeClock({ rate, moved_to: movedTo, due, title }: EntryView): string | undefined {
  const { sentences } = consoleTexts;
  if (rate !== undefined) return sentences.rate(rate);
  if (movedTo !== undefined) return sentences.clockMoved(consoleTexts.instant(movedTo));
  return due === undefined ? undefined : formatDueItem({ kind: due, title });
}

/**
 * Describes a scheduled item. The second word of the item's English title is the row's name, e.g. `charge
 * order-1 is paid`.
 */
export function formatDueItem({
  kind,
  title,
}: {
  readonly kind: NonNullable<EntryView['due']>;
  readonly title: string;
}) {
  return consoleTexts.sentences.due[kind](title, title.split(' ')[1] ?? '');
}

function formatTarget(target: string | undefined): string | undefined {
  return parseListenerTarget(target ?? '')?.target ?? target;
}

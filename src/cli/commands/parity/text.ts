import type { Difference } from '../../../parity/compare.js';
import { describeFact, PARITY_FACTS, PROBE_PARTS } from '../../../parity/facts.js';
import { PROBE_LIMITS } from '../../../parity/other-implementation.js';
import { type FactOutcome, planRequests, type ProbeScope } from '../../../parity/probe.js';
import type { ParityRecord } from '../../../parity/record.js';
import type { Io } from '../../program/io.js';
import { formatParagraph, toOneLine } from '../../terminal/text.js';

const INDENT = '  ';
const PLACES_SHOWN = 3;

/** Lists what a probe sends and leaves. */
export function formatPlan(io: Pick<Io, 'columns'>, scope: ProbeScope, against: string): string {
  const parts = planRequests(scope);
  const planned = parts.reduce((sum, [, count]) => sum + count, 0);
  const total = Math.min(planned, PROBE_LIMITS.requests);
  const lines = parts.map(([part, count]) => {
    const name = part.padEnd('refusals'.length);
    return `${INDENT}${name}  ${String(count).padStart(2)} requests; leaves ${PROBE_PARTS[part].leaves}`;
  });
  const cut =
    planned > total ? ' The last details are left out if that does not suffice; several runs add up.' : '';
  const limits =
    `At most ${total} requests and ${PROBE_LIMITS.refusedSignatures} refused signatures, one request per second ` +
    `(about ${total}\u00a0s).${cut} Every request carries the credentials from PARITY_*.`;
  return [`Plan for ${toOneLine(against, 0)}:`, ...lines, ...formatParagraph(io, limits)].join('\n');
}

/** A group of differences with the same place and tokens. */
interface DifferenceGroup extends Difference {
  readonly requests: readonly string[];
}

function groupDifferences(differences: readonly Difference[]): readonly DifferenceGroup[] {
  const groups = new Map<string, DifferenceGroup>();
  for (const difference of differences) {
    const { kind, place, expected, got, request } = difference;
    const key = JSON.stringify([kind, place, expected, got]);
    const group = groups.get(key);
    groups.set(key, { ...difference, requests: [...(group?.requests ?? []), request] });
  }
  return [...groups.values()];
}

function formatDifference(io: Io, { kind, place, expected, got, requests }: DifferenceGroup): string[] {
  const shown = requests.slice(0, PLACES_SHOWN).join(', ');
  const more = requests.length > PLACES_SHOWN ? ` and ${requests.length - PLACES_SHOWN} more` : '';
  const where = place === kind ? '' : ` ${place}`;
  const text = `${kind}${where}: expected ${expected}, got ${got} (${shown}${more})`;
  return formatParagraph(io, toOneLine(text, 0), INDENT.repeat(2));
}

function formatFact(io: Io, { id, outcome, value, current, differences, reason }: FactOutcome): string[] {
  const { section, question, fixed } = describeFact(id);
  const head = `${INDENT}${io.colors.bold(id)}  ${section}`;
  if (outcome === 'confirmed') return [`${INDENT}${id}${value === undefined ? '' : ` = ${value}`}`];
  if (outcome === 'unknown') return formatParagraph(io, `${id}: ${reason ?? ''}`, INDENT);
  const setting =
    value === undefined || value === current
      ? []
      : formatParagraph(io, `${question} ${value}; the sandbox: ${current}.`, INDENT.repeat(2));
  if (outcome === 'setting') return [head, ...setting];
  const assumed = fixed === null ? question : `${question} The sandbox: ${fixed}`;
  return [
    head,
    ...formatParagraph(io, toOneLine(assumed, 0), INDENT.repeat(2)),
    ...setting,
    ...groupDifferences(differences).flatMap((group) => formatDifference(io, group)),
  ];
}

const GROUPS = [
  ['differs', 'Differs, and no setting matches it', 'red'],
  ['setting', 'Differs, and this setting matches it', 'yellow'],
  ['confirmed', 'Confirmed, as far as observed', 'green'],
  ['unknown', 'Not asked, or cannot tell', 'dim'],
] as const;

/** Formats the four groups of a report. */
export function formatOutcomes(io: Io, outcomes: readonly FactOutcome[], isWritten: boolean): string {
  const blocks = GROUPS.flatMap(([outcome, title, color]) => {
    const own = outcomes.filter((one) => one.outcome === outcome);
    if (own.length === 0) return [];
    const lines = own.flatMap((one) => formatFact(io, one));
    const text = `--write adds to sandbox.config.json: ${JSON.stringify(settingsOf(own))}`;
    const settings = outcome === 'setting' && !isWritten ? formatParagraph(io, text, INDENT) : [];
    return [[io.colors[color](`${title} (${own.length}):`), ...lines, ...settings].join('\n')];
  });
  return [...blocks, summaryOf(outcomes)].join('\n\n');
}

function settingsOf(outcomes: readonly FactOutcome[]) {
  return { assume: Object.fromEntries(outcomes.map(({ id, value }) => [id, value])) };
}

function summaryOf(outcomes: readonly FactOutcome[]): string {
  const count = (outcome: FactOutcome['outcome']) => outcomes.filter((one) => one.outcome === outcome).length;
  return (
    `${count('confirmed')} confirmed, ${count('setting')} matched by a setting, ` +
    `${count('differs')} without a setting, ${count('unknown')} unknown.`
  );
}

/** Formats the settings that --write adds, as a difference. */
export function formatWrittenSettings({ colors }: Io, settings: readonly FactOutcome[]): string {
  const lines = settings.flatMap(({ id, value, current }) => [
    colors.red(`-   "${id}": "${current}"`),
    colors.green(`+   "${id}": "${value}"`),
  ]);
  return ['', 'sandbox.config.json, assume:', ...lines].join('\n');
}

/** Formats the result of `parity check`. */
export function formatCheckedFacts(
  io: Io,
  outcomes: readonly FactOutcome[],
  { against, facts, version }: ParityRecord,
  { known, stale }: { readonly known: ReadonlySet<string>; readonly stale: readonly string[] },
): string {
  const differing = outcomes.filter(({ outcome }) => outcome === 'differs' || outcome === 'setting');
  const shown = differing.flatMap((one) => [
    ...formatFact(io, one),
    ...(known.has(one.id) ? [`${INDENT.repeat(2)}Known: listed in the baseline.`] : []),
    `${INDENT.repeat(2)}Observed on ${facts[one.id]?.observed ?? ''}.`,
  ]);
  const count = Object.keys(facts).length;
  const failed = differing.filter(({ id }) => !known.has(id)).length;
  const knownText = known.size === 0 ? '' : `, ${differing.length - failed} known`;
  const matching = outcomes.filter(({ outcome }) => outcome === 'confirmed').length;
  const skipped = count - matching - differing.length;
  const skippedText = skipped === 0 ? '' : `, ${skipped} not compared`;
  const counts = `${matching} match${skippedText}, ${failed} differ${knownText}`;
  const total = `${count} facts of ${toOneLine(against, 0)} (recorded by version ${toOneLine(version, 0)}): ${counts}.`;
  const canWrite = differing.some(({ value, current }) => value !== undefined && value !== current);
  const hint = canWrite ? ['`parity check --write` adds these settings to sandbox.config.json.'] : [];
  return [...shown, ...stale, total, ...hint].join('\n');
}

/** Converts an outcome to JSON. */
export function toOutcomeJson({ id, outcome, value, current, differences, reason }: FactOutcome) {
  const { section } = describeFact(id);
  const { asks } = PARITY_FACTS[id];
  return {
    id,
    section,
    outcome,
    value: value ?? null,
    current: current ?? null,
    asks,
    reason: reason ?? null,
    differences: groupDifferences(differences).map(({ kind, place, expected, got, requests }) => {
      return { kind, place, expected, got, requests };
    }),
  };
}

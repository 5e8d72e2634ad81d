import { INCIDENTS } from '../../contract/incidents.js';
import { LIMITS } from '../../contract/limits.js';
import { Refusal, requireFound } from '../../contract/refusals.js';
import { formatIsoTime, parseDuration } from '../../contract/time.js';
import { array } from '../../schema/compound.js';
import { nullish, object, renameField } from '../../schema/object.js';
import { mapValue } from '../../schema/values.js';
import { suggest } from '../../text/closest.js';
import type { ApplyStep } from '../effects.js';
import { readBodyOrRefuse } from '../input/bodies.js';
import { acceptDuration, acceptText, NAME_INPUT } from '../input/kinds.js';
import type { Fault, FaultInput, World } from '../world.js';
import { resolveWindow } from './fault-window.js';
import { addFault, checkFaultRoom, endFault, FAULT } from './faults.js';

const KNOWN = Object.keys(INCIDENTS);
const FAULTS = array(FAULT, { what: `a list of 1 to ${LIMITS.faults} faults`, min: 1, max: LIMITS.faults });

/** A named group of faults that all last `durationMs`. */
export interface IncidentInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly durationMs: number;
  readonly faults: readonly FaultInput[];
}

/**
 * Schema of an incident: the name of a built-in incident, optionally with another duration, or a new incident
 * with its own faults and duration.
 */
export const INCIDENT = mapValue(
  object(
    'an incident',
    {
      name: NAME_INPUT,
      description: nullish(acceptText(LIMITS.descriptionLength)),
      durationMs: renameField('duration', nullish(acceptDuration({ minMs: 1, example: '15m' }))),
      faults: nullish(FAULTS),
    },
    {
      rules: [
        {
          of: ['name', 'faults'],
          problem: ({ name, faults }) => {
            const isKnown = Object.hasOwn(INCIDENTS, name);
            if (isKnown === (faults === undefined)) return undefined;
            if (isKnown) return `Is a built-in incident: ${name}. Use another name, or omit the faults.`;
            const known = `The incidents are ${KNOWN.join(', ')}; another incident requires faults.`;
            return `Is no incident: ${name}.${suggest(name, KNOWN)} ${known}`;
          },
        },
        {
          of: ['durationMs', 'faults'],
          problem: ({ durationMs, faults }) =>
            faults !== undefined && durationMs === undefined
              ? 'Is required for an incident with faults.'
              : undefined,
        },
        {
          of: ['faults'],
          problem: ({ faults = [] }) =>
            faults.some(({ from, until, forMs, incident }) => from ?? until ?? forMs ?? incident)
              ? 'Must not have from, until, for or incident, which the incident sets.'
              : undefined,
        },
      ],
    },
  ),
  ({ name, description, durationMs, faults }): IncidentInput => {
    const known = INCIDENTS[name];
    return {
      name,
      description,
      durationMs: durationMs ?? parseDuration(known?.duration ?? '') ?? 0,
      faults: faults ?? known?.faults.map((fault) => readBodyOrRefuse(FAULT, fault)) ?? [],
    };
  },
);

/** A running incident: the faults that it added. Instants are sandbox time in milliseconds. */
export interface RunningIncident {
  readonly name: string;
  readonly description?: string | undefined;
  readonly from: number | null;
  readonly until: number | null;
  readonly faults: readonly Fault[];
}

/** Lists the running incidents, derived from their faults, in order of start. */
export function listRunningIncidents({ faults }: World): RunningIncident[] {
  const rows = [...faults.values()];
  const names = new Set(rows.flatMap(({ incident }) => incident ?? []));
  return Array.from(names, (name) => {
    const own = rows.filter(({ incident }) => incident === name);
    const ends = own.map(({ until = Infinity }) => until);
    const until = Math.max(...ends);
    const description = own.find((one) => one.incidentDescription)?.incidentDescription;
    return {
      name,
      description,
      from: own[0]?.from ?? null,
      until: until === Infinity ? null : until,
      faults: own,
    };
  });
}

/** Adds the faults of an incident. Throws INVALID_TRANSITION if an incident with this name is running. */
export function startIncident(step: ApplyStep, incident: IncidentInput): Fault[] {
  const { name, description: incidentDescription, durationMs, faults } = incident;
  const { world, now } = step;
  const running = listRunningIncidents(world).find((one) => one.name === name);
  if (running !== undefined) {
    const end = running.until === null ? '' : ` until ${formatIsoTime(running.until)}`;
    throw new Refusal('INVALID_TRANSITION', `The incident ${name} is already running${end}.`, {
      hint: `Stop it first: \`npx sandbox incident stop ${name}\`.`,
    });
  }
  checkFaultRoom(world, faults.length);
  const window = { from: now, forMs: durationMs, incident: name };
  return faults
    .map((fault, at) => resolveWindow({ ...fault, ...window, ...(at === 0 && { incidentDescription }) }, now))
    .map((fault) => addFault(step, fault));
}

/** Removes the faults of one incident, or of all if the name is null. Returns the stopped incidents. */
export function stopIncidents(step: ApplyStep, wanted: string | null): RunningIncident[] {
  const isWanted = ({ name }: RunningIncident) =>
    wanted === null || name.toLowerCase() === wanted.toLowerCase();
  const stopped = listRunningIncidents(step.world).filter(isWanted);
  if (wanted !== null)
    requireFound(
      stopped[0],
      `running incident ${wanted}`,
      '`npx sandbox incident list` shows the incidents.',
    );
  for (const fault of stopped.flatMap(({ faults }) => faults)) endFault(step, fault);
  return stopped;
}

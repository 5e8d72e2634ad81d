import type { FaultFields } from './explore.js';
import { weakened } from './kinds.js';

type StillFails = (faults: readonly FaultFields[]) => Promise<boolean>;

/** The smallest faults found that still fail: first fewer of them (ddmin), then those that do less. */
export async function shrunk(
  faults: readonly FaultFields[],
  stillFails: StillFails,
): Promise<readonly FaultFields[]> {
  return weakest(await fewest(faults, stillFails), stillFails);
}

/** Zeller's ddmin: a list of which no single part can be left out. */
async function fewest(
  faults: readonly FaultFields[],
  stillFails: StillFails,
): Promise<readonly FaultFields[]> {
  let current: readonly FaultFields[] = faults;
  let parts = 2;
  while (current.length > 1) {
    const size = Math.ceil(current.length / parts);
    const chunks: readonly (readonly FaultFields[])[] = Array.from(
      { length: Math.ceil(current.length / size) },
      (_, index) => current.slice(index * size, (index + 1) * size),
    );
    const rests = chunks.map((_, index) => chunks.filter((_chunk, at) => at !== index).flat());
    const smaller = await firstOf(parts === 2 ? chunks : [...chunks, ...rests], stillFails);
    if (smaller !== undefined) {
      parts = chunks.includes(smaller) ? 2 : Math.max(parts - 1, 2);
      current = smaller;
    } else if (parts < current.length) parts = Math.min(parts * 2, current.length);
    else break;
  }
  return current;
}

async function weakest(
  faults: readonly FaultFields[],
  stillFails: StillFails,
): Promise<readonly FaultFields[]> {
  const weaker = faults.flatMap((fault, at) => weakened(fault).map((less) => faults.with(at, less)));
  const found = await firstOf(weaker, stillFails);
  return found === undefined ? faults : weakest(found, stillFails);
}

async function firstOf(
  choices: readonly (readonly FaultFields[])[],
  stillFails: StillFails,
): Promise<readonly FaultFields[] | undefined> {
  for (const choice of choices) if (await stillFails(choice)) return choice;
  return undefined;
}

/** An instant of sandbox time as people read it: `31 Jan 2026 12:00:00`, always in UTC. */
export function instant(iso: string | number): string {
  const at = new Date(iso);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()} ${timeOf(at)}`;
}

/** The time of day alone. */
export function timeOfDay(iso: string | number): string {
  return timeOf(new Date(iso));
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function timeOf(at: Date): string {
  return at.toISOString().slice(11, 19);
}

/** Formats an instant of sandbox time with a language's months: `31 Jan 2026 12:00:00`, always in UTC. */
export function instantWith(months: readonly string[]): (iso: string | number) => string {
  return (iso) => {
    const at = new Date(iso);
    return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()} ${timeOf(at)}`;
  };
}

/** The time of day alone. */
export function timeOfDay(iso: string | number): string {
  return timeOf(new Date(iso));
}

/** Formats minutes as `6m`, `2h36m` or `45h`. */
export function hoursAndMinutes(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest}m`;
  return rest === 0 ? `${hours}h` : `${hours}h${rest}m`;
}

function timeOf(at: Date): string {
  return at.toISOString().slice(11, 19);
}

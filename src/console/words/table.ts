/** Formats an instant of sandbox time with a language's months: `31 Jan 2026 12:00:00`, always in UTC. */
export function instantWith(months: string): (iso: string | number) => string {
  const names = months.split(' ');
  return (iso) => {
    const at = new Date(iso);
    return `${at.getUTCDate()} ${names[at.getUTCMonth()]} ${at.getUTCFullYear()} ${timeOfDay(iso)}`;
  };
}

export function timeOfDay(iso: string | number): string {
  return new Date(iso).toISOString().slice(11, 19);
}

/** Formats minutes as `6m`, `2h36m` or `45h`. */
export function hoursAndMinutes(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest}m`;
  return rest === 0 ? `${hours}h` : `${hours}h${rest}m`;
}

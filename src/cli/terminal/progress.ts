/** A reporter that passes on at most one report in so many milliseconds, by `nowMs`; none at the very beginning. */
export function atMostEvery<Report>(
  intervalMs: number,
  nowMs: () => number,
  show: (report: Report) => void,
): (report: Report) => void {
  let latest = nowMs();
  return (report) => {
    const now = nowMs();
    if (now - latest < intervalMs) return;
    latest = now;
    show(report);
  };
}

/** A reporter that passes on at most one report per interval, by `nowMs`; none before the first interval ends. */
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

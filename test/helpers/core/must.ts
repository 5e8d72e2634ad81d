/** Cheaper than an expectation, because it runs for every row after every step. */
export function must(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** The program in texts of ours; it works in every project that depends on the package. */
export const PROGRAM = 'npx sandbox';

/** A text of ours with the commands as its reader types them, such as `pnpm sandbox status`. */
export function withProgramName(text: string, program = PROGRAM): string {
  return text.replaceAll(PROGRAM, () => program);
}

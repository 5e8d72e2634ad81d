/** Default program name in messages. Works in every project that depends on the package. */
export const PROGRAM_NAME = 'npx sandbox';

/** Replaces the program name in a text, e.g. with `pnpm sandbox`. */
export function withProgramName(text: string, program = PROGRAM_NAME): string {
  return text.replaceAll(PROGRAM_NAME, () => program);
}

import type { Console } from '../model/console.js';

/** Long enough for any browser to have begun to read the file. */
const KEPT_MS = 60_000;

/** Lets the browser save a text as a file. */
export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** A file that was chosen in a field of the form that is sent, if any was. */
export function fileOf(event: Event, name: string): File | undefined {
  const value = new FormData(event.target as HTMLFormElement).get(name);
  return value instanceof File && value.name !== '' ? value : undefined;
}

/** The JSON object in a file; says so and answers undefined where there is none. */
export async function jsonOf(model: Console, file: File, hint?: string): Promise<object | undefined> {
  try {
    const value: unknown = JSON.parse(await file.text());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Anything else than JSON gets the same answer.
  }
  model.say({ text: model.words.files.notJson(file.name), isError: true, hint });
  return undefined;
}

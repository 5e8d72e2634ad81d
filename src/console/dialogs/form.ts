import type { ControlClient } from '../../client/control.js';
import { SandboxError } from '../../client/control.js';
import type { Action } from '../model/actions.js';

/** What is in the fields of a form, by their names. */
export type Values = Readonly<Record<string, string>>;

/** What was typed or chosen in a field, without space around it; undefined when that is nothing. */
export function filled(values: Values, name: string): string | undefined {
  const text = values[name]?.trim();
  return text === '' ? undefined : text;
}

/** The lines of a field, each as it was typed, without empty ones. */
export function linesOf(values: Values, name: string): string[] {
  return (values[name] ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** A number as JSON, or what was typed in its place, for the sandbox to say what is wrong with it. */
export function numberOrText(text: string): number {
  return (/^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text) as number;
}

/** A field of a form: its name in the request, what it is called, and what it takes. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly input: 'text' | 'lines' | 'flag' | 'choice';
  /** What it holds at first. */
  readonly initial?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly choices?: readonly (readonly [value: string, label: string])[] | undefined;
  /** What may be typed, as suggestions. */
  readonly suggestions?: readonly string[] | undefined;
}

/** An action as its form is filled in, and by the name of the field what keeps it from being done. */
export interface Prepared<Answer = unknown> extends Action {
  readonly run: (client: ControlClient) => Promise<Answer>;
  readonly problems: Readonly<Record<string, string>>;
}

/** What went wrong with a form. */
export interface Failure {
  /** By the name of the field. */
  readonly byField: Readonly<Record<string, string>>;
  /** What belongs to no field of the form. */
  readonly rest: string;
}

/** What went wrong, by field: the fields of a nested object are those of the form. */
export function placed(error: unknown, fields: readonly Pick<Field, 'name'>[]): Failure {
  if (!(error instanceof SandboxError))
    return { byField: {}, rest: error instanceof Error ? error.message : String(error) };
  const byField: Record<string, string> = {};
  const others: string[] = [];
  for (const { field, message } of error.details) {
    const name = fields.find((one) => field === one.name || field === `with.${one.name}`)?.name;
    if (name === undefined) others.push(`${field}: ${message}`);
    else byField[name] = [byField[name], message].filter(Boolean).join(' ');
  }
  const isPlaced = error.details.length > 0 && others.length === 0;
  const said = isPlaced ? [] : [error.body.message, ...others];
  return { byField, rest: [...said, error.hint].filter(Boolean).join(' ') };
}

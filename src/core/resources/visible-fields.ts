import { PAYMENT_FIELDS } from '../../contract/fields.js';
import { isObject, type ObjectSchema } from '../../schema/object.js';
import { type JsonSchema, read, type Schema } from '../../schema/schema.js';
import { REDACTED } from '../../text/redaction.js';
import { UUID_PATTERN } from '../ids.js';

const PERSONAL = new Set(
  Object.entries(PAYMENT_FIELDS.all).flatMap(([name, field]) => ('isPersonal' in field ? name : [])),
);

/** Field names that cannot be values, such as a document used as a key. */
const PLAIN_KEY = /^[A-Za-z_$][\w.$-]{0,63}$/;

/** Controls which texts are shown, in addition to valid values of fields with a closed set or format. */
export interface FieldVisibility {
  /** Shows such fields even with an invalid value, except in objects that no resource has. */
  readonly showsInvalid: boolean;
  /** Names of fields whose text is shown, even though it can be anything. */
  readonly texts: ReadonlySet<string>;
  /** Converts a shown text, e.g. to redact URLs in it. */
  readonly show: (text: string) => string;
  /** Called with each redacted value. */
  readonly onRedacted: (value: string) => void;
}

/**
 * Creates a function that redacts JSON by an allow-list: it shows a value only in a field of these resources.
 * Keys, booleans and null are always shown, except in personal fields.
 */
export function createJsonRedactor(resources: readonly object[]) {
  const rules = new Map<string, Schema<unknown>[]>();
  const add = ({ fields = {}, item }: Partial<ObjectSchema>) => {
    if (item !== undefined) add(item as Partial<ObjectSchema>);
    for (const [name, schema] of Object.entries(fields)) {
      rules.set(name, [...(rules.get(name) ?? []), schema]);
      add(schema as Partial<ObjectSchema>);
    }
  };
  resources.forEach(add);
  return (root: unknown, { texts, showsInvalid, show, onRedacted }: FieldVisibility): unknown => {
    const redact = (value: unknown): string => {
      onRedacted(String(value));
      return typeof value === 'number' ? `${REDACTED} (number)` : REDACTED;
    };
    /** `isKnown`: all containing objects are fields of a resource. */
    const walk = (name: string, value: unknown, isKnown: boolean, isPersonal: boolean): unknown => {
      if (value === null || (typeof value === 'boolean' && !isPersonal)) return value;
      const schemas = (isPersonal ? undefined : rules.get(name))?.filter(({ json }) => isClosed(json)) ?? [];
      if (schemas.some((schema) => isValid(schema, value))) return value;
      const isShown = isKnown && !isPersonal && (texts.has(name) || (showsInvalid && schemas.length > 0));
      if (isShown && typeof value === 'string') return show(value);
      if (isShown && typeof value === 'number') return value;
      if (Array.isArray(value)) return value.map((item) => walk(name, item, isKnown, isPersonal));
      if (!isObject(value)) return redact(value);
      const entries = Object.entries(value).map(([key, item]) => [
        PLAIN_KEY.test(key) ? key : redact(key),
        walk(key, item, isKnown && (name === '' || rules.has(name)), isPersonal || PERSONAL.has(key)),
      ]);
      return Object.fromEntries(entries) as object;
    };
    return walk('', root, true, false);
  };
}

function isValid(schema: Schema<unknown>, value: unknown): boolean {
  if (schema.json['format'] === 'uuid' && !UUID_PATTERN.test(String(value))) return false;
  return read(schema, value).issues.length === 0;
}

/** Returns true for a schema that does not accept arbitrary text. */
function isClosed({ type, items, format, ...closed }: JsonSchema): boolean {
  if (items !== undefined) return isClosed(items as JsonSchema);
  const { enum: choices, const: only, pattern } = closed;
  const isText = [type].flat().every((one) => one === 'string' || one === 'null' || one === 'object');
  const isLimited = format === 'uuid' || [choices, only, pattern].some((one) => one !== undefined);
  return isLimited || (type !== undefined && !isText);
}

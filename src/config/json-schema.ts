import { object } from '../schema/object.js';
import { optional } from '../schema/fields.js';
import { described, text } from '../schema/values.js';
import type { Setting } from './settings.js';
import { environmentNameOf, flagOf, SETTINGS } from './settings.js';
import { schemaOf } from './values.js';

/** The JSON Schema (draft 7) of `sandbox.config.json`, for editors: generated from the schemas of `loadSettings`. */
export function configSchema(): object {
  const fields = SETTINGS.map(
    (setting) => [setting.key, optional(described(descriptionOf(setting), schemaOf(setting)))] as const,
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'sandbox.config.json',
    description: 'Settings of pix-sandbox. Flags and the environment override them.',
    ...object('the settings', { $schema: optional(text()), ...Object.fromEntries(fields) }).json,
  };
}

function descriptionOf(setting: Setting): string {
  const { description, fallback, commands } = setting;
  const twins = `${flagOf(setting)} or ${environmentNameOf(setting)} of ${commands.join(', ')}`;
  const holds = fallback === undefined ? '' : ` (default: ${fallback})`;
  return `${description}${holds}. ${twins}.`;
}

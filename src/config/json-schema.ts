import { assume, ASSUMPTION_IDS, describeAssumption } from '../core/assumptions.js';
import type { Setting } from './settings.js';
import { environmentNameOf, flagOf, SETTINGS } from './settings.js';

const TEXT = { type: 'string', minLength: 1 } as const;
const DURATION = String.raw`^(\d+(\.\d+)?(ms|s|m|h|d))+$`;
const INSTANT = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$`;
const PAIR = { type: 'string', pattern: '^[^=]+=' } as const;

/** The JSON Schema (draft 7) of `sandbox.config.json`, for editors: what `loadSettings` reads, as far as a schema can say it. */
export function configSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'sandbox.config.json',
    description: 'Settings of pix-sandbox. Flags and the environment come before them.',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(SETTINGS.map((setting) => [setting.key, propertyOf(setting)])),
    },
    additionalProperties: false,
  };
}

function propertyOf(setting: Setting): object {
  const { description, fallback, commands } = setting;
  const twins = `${flagOf(setting)} or ${environmentNameOf(setting)} of ${commands.join(', ')}`;
  const holds = fallback === undefined ? '' : ` (default: ${fallback})`;
  return { description: `${description}${holds}. ${twins}.`, ...shapeOf(setting) };
}

function shapeOf({ kind, choices, range }: Setting): object {
  switch (kind) {
    case 'switch':
      return { type: 'boolean' };
    case 'choice':
      return { enum: choices };
    case 'count':
      return { type: 'integer', minimum: range?.[0], maximum: range?.[1] };
    case 'duration':
      return { type: 'string', pattern: DURATION };
    case 'instant':
      return { type: 'string', pattern: INSTANT };
    case 'textOrNumber':
      return { anyOf: [TEXT, { type: 'number' }] };
    case 'words':
    case 'list':
      return { anyOf: [TEXT, { type: 'array', items: TEXT }] };
    case 'routes':
      return pairs({ type: 'object', additionalProperties: TEXT });
    case 'assumptions':
      return pairs(assumptions());
    case 'text':
    case 'path':
      return TEXT;
  }
}

function pairs(object: object): object {
  return { anyOf: [object, PAIR, { type: 'array', items: PAIR }] };
}

function assumptions(): object {
  const assumed = assume();
  const properties = ASSUMPTION_IDS.map((id) => {
    const { question, value, choices } = describeAssumption(id, assumed);
    const shape = choices.includes(' | ') ? { enum: choices.split(' | ') } : TEXT;
    return [id, { description: `${question} Assumed: ${value}. May be ${choices}.`, ...shape }];
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}

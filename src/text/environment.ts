import { ENVIRONMENT_VARIABLES } from '../contract/enums.js';
import { suggest } from './closest.js';
import { quoteBriefly } from './errors.js';

/**
 * The application's own variables, each with its source: a variable of the environment block, or a template
 * such as `{SANDBOX_BASE_URL}/api`.
 */
export type EnvironmentMapping = Readonly<Record<string, string>>;

const PREFIX = 'SANDBOX_';
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const PLACEHOLDER = /\{([^{}]*)\}/g;
const KNOWN: readonly string[] = ENVIRONMENT_VARIABLES;

/**
 * Adds the application's own variables to the environment block, except those whose source the block lacks.
 * Expects a valid mapping.
 */
export function mapEnvironment<Block extends Readonly<Record<string, string>>>(
  block: Block,
  mapping: EnvironmentMapping = {},
): Block {
  const own = Object.entries(mapping).flatMap(([name, source]) => {
    const template = KNOWN.includes(source) ? `{${source}}` : source;
    const isComplete = listPlaceholders(template).every((variable) => Object.hasOwn(block, variable));
    const value = template.replaceAll(PLACEHOLDER, (_, variable: string) => block[variable] ?? '');
    return isComplete ? [[name, value] as const] : [];
  });
  return { ...block, ...Object.fromEntries(own) };
}

/** Lists the application's own variables with exactly the value of a variable of the environment block. */
export function listMappedNames(mapping: EnvironmentMapping, variable: string): readonly string[] {
  const isSame = (source: string) => source === variable || source === `{${variable}}`;
  return Object.keys(mapping).filter((name) => isSame(mapping[name] ?? ''));
}

function listPlaceholders(template: string): readonly string[] {
  return Array.from(template.matchAll(PLACEHOLDER), ([, variable = '']) => variable);
}

/** Describes an invalid name or source, phrased to follow the setting's name, or returns undefined. */
export function findMappingProblem(name: string, source: string): string | undefined {
  const quoted = quoteBriefly(name);
  if (!VARIABLE_NAME.test(name))
    return `has the invalid name ${quoted}; use letters, digits and underscores, as in PIX_TOKEN`;
  if (name.startsWith(PREFIX))
    return `has the name ${quoted}, but names with ${PREFIX} are reserved; use another name, e.g. PIX_TOKEN`;
  const names = /[{}]/.test(source) ? listPlaceholders(source) : [source];
  const unknown = names.find((one) => !KNOWN.includes(one));
  if (unknown !== undefined)
    return (
      `has the unknown source ${quoteBriefly(unknown)}.${suggest(unknown, KNOWN)} Use one of ` +
      `${KNOWN.join(', ')}, or a template such as {SANDBOX_BASE_URL}/api`
    );
  if (/[{}]/.test(source.replaceAll(PLACEHOLDER, '')))
    return `has an unmatched brace in ${quoteBriefly(source)}; write a template such as {SANDBOX_BASE_URL}/api`;
  return undefined;
}

import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBodyOrRefuse } from '../../../src/core/input/bodies.js';
import type { JsonSchema, Schema } from '../../../src/schema/schema.js';
import { Refusal } from '../../../src/contract/refusals.js';
import { createServiceRoutes } from '../../../src/http/service/routes.js';
import { createControlRoutes } from '../../../src/http/control/app.js';
import { type QuerySchema, readQuery } from '../../../src/http/shared/read-request.js';
import { Sandbox } from '../../../src/sandbox/sandbox.js';
import { mistaken, valuesOf } from '../../helpers/core/schema-values.js';
import { admitNone } from '../../helpers/http/admit-none.js';

/** What is refused by a rule that no schema can say: what two fields mean together, and what a text means. */
const RULES = [
  /with valid check digits/,
  /^Must be printable and without space/,
  /^Must be a duration.* got /,
  /^Must be 1 if a charge/,
  /^count × \d+ characters of override must be/,
  /^Must be a CPF or CNPJ without punctuation/,
  /^Must match one of/,
  /^Matches no route|^Is required, because requests and deliveries both support/,
  /^Must be an instant/,
  /^Is no incident|^Is a built-in incident|^Is required for an incident|^Must not have from, until, for or incident/,
  /^Must be null for status|^Is required without a 2xx/,
  /^Must not be combined with nth/,
];
const RUNS = { numRuns: 300 };

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const FACTS = { instanceId: '', version: '', pid: 0, startedAt: 0, url: () => '', env: () => expect.fail() };

/** All that is read somewhere, by the name of its route. */
function schemas<Of extends Schema<unknown>>(part: 'body' | 'query'): [string, Of][] {
  const sandbox = new Sandbox();
  const routes = [...createServiceRoutes(sandbox.world.assumed), ...createControlRoutes(FACTS, admitNone)];
  sandbox.close();
  return routes.flatMap((route) => {
    const schema = part in route ? (route as { readonly [Part in typeof part]?: Of })[part] : undefined;
    return schema === undefined ? [] : [[`${route.method} ${route.path}`, schema]];
  });
}

/** The messages of what was refused; none for what was accepted. */
function refusals(reads: () => unknown): readonly string[] {
  try {
    reads();
    return [];
  } catch (error) {
    if (error instanceof Refusal) return error.details.map(({ message }) => message);
    throw error;
  }
}

const isRule = (message: string) => RULES.some((rule) => rule.test(message));

describe('request bodies', () => {
  test.each(schemas('body'))('request bodies of %s are accepted by their schema', (_, schema) => {
    const fits = ajv.compile(schema.json);
    const bodies = valuesOf(schema.json);
    const seen = { right: 0, wrong: 0 };
    fc.assert(
      fc.property(fc.oneof(bodies, mistaken(bodies)), (body) => {
        const problems = refusals(() => readBodyOrRefuse(schema, body));
        const isRight = fits(body);
        seen[isRight ? 'right' : 'wrong'] += 1;
        return isRight ? problems.every(isRule) : problems.length > 0;
      }),
      RUNS,
    );
    expect(Math.min(seen.right, seen.wrong), 'both are met often').toBeGreaterThan(30);
  });
});

describe('request queries', () => {
  const written = (query: unknown) =>
    Object.fromEntries(
      Object.entries(query as object).map(([name, value]: [string, unknown]) => [name, [String(value)]]),
    );

  test.each(schemas<QuerySchema<unknown>>('query'))(
    'request queries of %s are accepted by their parameters',
    (_, schema) => {
      fc.assert(
        fc.property(valuesOf(schema.json), (query) => {
          expect(refusals(() => readQuery(schema, written(query))).filter((one) => !isRule(one))).toEqual([]);
        }),
        RUNS,
      );
      const properties = Object.entries(schema.json['properties'] as Readonly<Record<string, JsonSchema>>);
      for (const [name, { enum: choices, type, minimum }] of properties) {
        const tooFew = type === 'integer' ? String(Number(minimum) - 1) : undefined;
        const wrong = choices !== undefined || type === 'array' ? 'nonsense' : tooFew;
        if (wrong === undefined) continue;
        expect(refusals(() => readQuery(schema, { [name]: [wrong] }))).toHaveLength(1);
      }
    },
  );
});

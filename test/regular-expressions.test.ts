import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { AGE, LOCAL_TIME } from '../src/check/probe/state.js';
import { namesIn } from '../src/cli/commands/init/env-file.js';
import { planHeaders } from '../src/cli/commands/listen/plan.js';
import { parseHeaderText } from '../src/cli/signatures/header-text.js';
import { matchesGlob } from '../src/text/globs.js';
import { readJsonText } from '../src/schema/json-text.js';
import { checkedOrigin } from '../src/core/identity/organizations.js';
import { withoutHeaderSecrets, withoutUrlSecrets } from '../src/text/redaction.js';
import { parseDuration } from '../src/contract/time.js';
import { diagnoseRequest, diagnoseWebhook } from '../src/signing/index.js';
import { attacksOn, attackText, greatestBound } from './helpers/source/regex-attacks.js';
import { MOST_STEPS, parsePattern, StepCounter } from './helpers/source/regex-steps.js';
import type { Sources } from './helpers/source/sources.js';
import { isNode, readSources, treeOf, walk } from './helpers/source/sources.js';
import { thrownBy } from './helpers/thrown-by.js';
import { tries } from './helpers/whole.js';

interface Found {
  readonly file: string;
  readonly regex: RegExp;
}

/** Every regular expression that is written in a source file. */
function literalsIn(sources: Sources): Found[] {
  const found: Found[] = [];
  for (const [file, text] of sources) {
    walk(treeOf(text), ({ type, regex }) => {
      if (type !== 'Literal' || typeof regex !== 'object' || regex === null) return;
      const { pattern, flags } = regex as { readonly pattern: string; readonly flags: string };
      found.push({ file, regex: new RegExp(pattern, flags) });
    });
  }
  return found;
}

/** Those that are put together as the program runs: what is written in the parentheses. */
function constructedIn(sources: Sources): string[] {
  const found: string[] = [];
  for (const [, text] of sources) {
    walk(treeOf(text), (node) => {
      const { callee, start, end } = node;
      if (!isNode(callee) || callee['name'] !== 'RegExp') return;
      found.push(text.slice(Number(start), Number(end)));
    });
  }
  return found;
}

/** Constructed ones, each with one as it comes out. */
const CONSTRUCTED: Readonly<Record<string, RegExp>> = {
  "new RegExp(`^(?:${text.replaceAll('x', '\\\\d').replaceAll(',', '|')})$`)": /^(?:4\d\d|5\d\d|401)$/,
  "new RegExp(`^${path.replaceAll(/:\\w+/g, '[^/]+')}$`)":
    /^\/api\/public\/v1\/webhook-endpoints\/[^/]+\/deliveries\/[^/]+\/retry$/,
  'new RegExp(`^[ -~]{${idempotencyKeyLengthMin},${idempotencyKeyLengthMax}}$`)': /^[ -~]{16,255}$/,
  'new RegExp(`^${pattern}$`)': /^(?:POST|PUT|PATCH|DELETE) \/(?:pix|charges?|payments?)\/[^/]+(?:\/[^/]+)?$/,
  'new RegExp(`^[\\\\x20-\\\\x7e]{1,${LIMITS.idempotencyKeyLengthMax}}$`)': /^[\x20-\x7e]{1,255}$/,
  "new RegExp(AGE_PATTERN, 'gi')": AGE,
  "new RegExp(LOCAL_TIME_PATTERN, 'gi')": LOCAL_TIME,
  'new RegExp(`^[\\\\x21-\\\\x7e]{1,${LIMITS.nonceLengthMax}}$`)': /^[\x21-\x7e]{1,128}$/,
};

/**
 * The attack that makes the steps of a pattern grow faster than the text does, or undefined. Steps that grow evenly have no second
 * difference; bounded loops do until they are full, so that texts begin beyond.
 */
function attackOn(regex: RegExp): string | undefined {
  const pattern = parsePattern(regex);
  const counter = new StepCounter(regex);
  const times = Math.max(tries({ part: 8, whole: 24 }), 2 * greatestBound(pattern));
  const attack = attacksOn(pattern).find((one) => {
    const steps = (factor: number) => counter.stepsIn(attackText(one, factor * times));
    const most = steps(3);
    if (most === MOST_STEPS) return true;
    if (most <= 8 * attackText(one, 3 * times).length) return false;
    return most - 2 * steps(2) + steps(1) > times;
  });
  return attack && JSON.stringify(attack);
}

const sources = readSources(fileURLToPath(new URL('../src', import.meta.url)));

describe('the regular expressions of the source', () => {
  const literals = literalsIn(sources);

  test('take steps that grow with the text and no faster', () => {
    expect(literals.length).toBeGreaterThan(200);
    const patterns = new Map(literals.map(({ file, regex }) => [String(regex), { file, regex }]));
    const slow = Array.from(patterns.values(), ({ file, regex }) => ({
      file,
      regex,
      attack: attackOn(regex),
    }));
    expect(slow.filter(({ attack }) => attack !== undefined)).toEqual([]);
  });

  test('are known where they are put together as the program runs, and take no more steps either', () => {
    expect(new Set(constructedIn(sources))).toEqual(new Set(Object.keys(CONSTRUCTED)));
    expect(Object.values(CONSTRUCTED).filter((regex) => attackOn(regex) !== undefined)).toEqual([]);
  });
});

describe('the counting of steps', () => {
  test.each([
    /\s+$/,
    /\/+$/,
    /(a+)+b/,
    /^(?:a|aa)+$/,
    /^a*a*$/,
    /^[\w.]+[\w-]*\.com$/,
    /:[ \t]*(.*?)[ \t]*$/,
    /"(?:[^"\\]|\\.)*"/g,
    /(?<=^x.*)y/,
    /(?=.*b)c/,
    /(\d+)(ms|s)/g,
  ])('notices %s', (regex) => {
    expect(attackOn(regex)).toBeDefined();
  });

  test.each([/^\s+$/, /(?<!\s)\s+$/, /^a{1,60}a{1,60}$/, /^[\w.]+$/, /\d{1,12}/g, /(\d+)(ms|s)/gy])(
    'lets %s pass',
    (regex) => {
      expect(attackOn(regex)).toBeUndefined();
    },
  );

  test('finds the matches that the engine finds', () => {
    const every = tries({ part: 97, whole: 29 });
    const patterns = literalsIn(sources)
      .map(({ regex }) => regex)
      .filter(({ sticky }) => !sticky);
    for (const regex of patterns) {
      const counter = new StepCounter(regex);
      const own = new RegExp(regex.source, [...new Set(`${regex.flags}g`)].join(''));
      for (const attack of attacksOn(parsePattern(regex)).filter((_, at) => at % every === 0)) {
        const text = attackText(attack, 3);
        expect([String(regex), text, counter.matchesIn(text)]).toEqual([
          String(regex),
          text,
          Array.from(text.matchAll(own), ([found]) => found),
        ]);
      }
    }
  });
});

/** Quadratic time on so many characters exceeds the test timeout. */
const LONG = 300_000;
const SECRET = 'whsec_c2FuZGJveC10ZXN0LXNlY3JldC0wMDAwMDAwMDA=';
const verifying = (text: string) =>
  diagnoseWebhook(
    { headers: { id: text, timestamp: text, signature: text }, body: text },
    { secrets: [{ name: 'own', secret: SECRET }], nowS: 1 },
  );
const requesting = (text: string) =>
  diagnoseRequest(
    {
      method: 'POST',
      target: `/${text.replaceAll(/[^!-~]/g, '/')}`,
      headers: { timestamp: text, nonce: text, signature: text },
      body: text,
    },
    { secret: 'secret', nowS: 1 },
  );

describe('what reads input', () => {
  const readers: Readonly<Record<string, (text: string) => unknown>> = {
    'raw headers': (text) => parseHeaderText(Buffer.from(`a: b\nwebhook-id:x${text}\u0001`)),
    'JSON headers': (text) => parseHeaderText(Buffer.from(JSON.stringify({ a: text, [text]: '1' }))),
    'URLs to be shown': (text) => withoutUrlSecrets(`https://${text}`) + withoutUrlSecrets(text),
    'headers to be shown': (text) =>
      withoutHeaderSecrets([
        ['location', text],
        [text, text],
      ]),
    'extra headers': (text) => thrownBy(() => planHeaders([`a: ${text}\u0001`]), Error),
    origins: (text) => thrownBy(() => checkedOrigin(`https:${text}`), Error),
    durations: (text) => parseDuration(text),
    'dotenv files': (text) => namesIn(text),
    globs: (text) => matchesGlob(`*${text}*`, text),
    JSON: (text) => readJsonText(`{"${text}": [${text}`),
    signatures: verifying,
    requests: requesting,
  };

  const texts = [
    ' ',
    '\t',
    '\r',
    '0',
    '"',
    "'",
    '/',
    '\\',
    ':',
    '=',
    '@',
    '.',
    'a',
    'a;',
    '"\\',
    '//',
    'v1,',
    ', ',
    '1,',
  ];

  test.each(Object.entries(readers))(
    'takes no more time for long ones than their length asks for: %s',
    (_, read) => {
      expect(() => texts.map((text) => read(text.repeat(LONG / text.length)))).not.toThrow();
    },
  );

  test('finds the places in a long JSON text whose keys are long, too', () => {
    const key = 'k'.repeat(LONG / 4);
    const text = `{"${key}": [\n${'1,\n'.repeat(LONG / 4)}2]}`;
    const json = readJsonText(text);
    if (!json.isJson) throw new Error(json.problem);
    const wrong = Array.from({ length: LONG / 4 }, (_, at) => at).filter(
      (at) => json.placeOf([key, at]).line !== at + 2,
    );
    expect(wrong).toEqual([]);
  });
});

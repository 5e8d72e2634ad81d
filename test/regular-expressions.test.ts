import { type AST, parseRegExpLiteral, visitRegExpAST } from '@eslint-community/regexpp';
import { expect, test } from 'vitest';
import { DELAY_PATTERN } from '../src/contract/delay.js';
import { CONSTRUCTED, constructorCalls, regularExpressions } from './helpers/source/regular-expressions.js';

/** Safe regular expressions that break the rule. */
const EXCEPTIONS = [
  // Every outer repetition requires a character the inner one cannot match.
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?:([^ \t\r\n]+(?:[ \t]+[^ \t\r\n]+)*)[ \t]*)?$/,
  /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/,
  DELAY_PATTERN,
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/,
  /^[\w-]+(?:\.[\w-]+)*$/,
  /^\[?\s*-?\d{1,3}(?:,\s*-?\d{1,3}|\s+-?\d{1,3})+\s*\]?$/,
  // The lookahead with a backreference never gives characters back.
  /"(?:(?=([^"\\\p{Cc}]+))\1|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy,
  // Nothing follows that could fail.
  /^(https?:\/\/[^/?#\s]+)([^#]*)/i,
].map(String);

function isAmbiguous(regex: RegExp): boolean {
  let [depth, found] = [0, false];
  visitRegExpAST(parseRegExpLiteral(regex), {
    onQuantifierEnter({ max }) {
      if (max === Infinity && (depth += 1) > 1) found = true;
    },
    onQuantifierLeave({ max }) {
      if (max === Infinity) depth -= 1;
    },
    onAlternativeEnter({ elements }) {
      const parts = elements.flatMap(partsOf);
      for (const [at, part] of parts.entries()) {
        const own = new Set(charactersOf(part, regex.flags));
        for (const next of parts.slice(at + 1)) {
          if (charactersOf(next, regex.flags).some((character) => own.has(character))) found = true;
          if (next.type !== 'Assertion' && (next.type !== 'Quantifier' || next.min > 0)) break;
        }
      }
    },
  });
  return found;
}

/** Unwraps groups with one alternative. */
function partsOf(element: AST.Element): readonly AST.Element[] {
  const isGroup = element.type === 'Group' || element.type === 'CapturingGroup';
  const [only, ...others] = isGroup ? element.alternatives : [];
  return only === undefined || others.length > 0 ? [element] : only.elements.flatMap(partsOf);
}

const CHARACTERS = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
/** Returns the characters of an unbounded repetition. */
function charactersOf(part: AST.Element, flags: string): string[] {
  if (part.type !== 'Quantifier' || part.max !== Infinity || !part.element.type.startsWith('Character'))
    return [];
  const regex = new RegExp(`^${part.element.raw}$`, flags.replaceAll(/[gym]/g, ''));
  return CHARACTERS.filter((character) => regex.test(character));
}

test('no regular expression nests unbounded repetitions or has adjacent overlapping ones', () => {
  expect(new Set(regularExpressions.filter(isAmbiguous).map(String))).toEqual(new Set(EXCEPTIONS));
});

test('every constructed regular expression is listed', () => {
  expect(constructorCalls).toEqual(new Set(Object.keys(CONSTRUCTED)));
});

test('the rule rejects only ambiguous repetitions', () => {
  const ambiguous = [/(a+)+b/, /(?:\s*,)*/, /^a*a*$/, /a*b?\Ba{2,}/, /[\w.]+([\w-]*)x/, /\w+\p{L}+/u];
  const safe = [/^\s+$/, /^a{1,60}a{1,60}$/, /a+b+/, /a*ba*/, /(?:a{1,9}b)+/, /\d+\D+/, /\w+(?:a|b)\w+/];
  expect([...ambiguous, ...safe].filter(isAmbiguous)).toEqual(ambiguous);
});

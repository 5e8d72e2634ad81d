import { expect, test } from 'vitest';
import { textsOf } from '../../../src/http/hosted/texts.js';

function leaves(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, child]) => leaves(child, `${path}.${key}`));
}

test('both languages say everything, and say it differently', () => {
  const english = new Map(leaves(textsOf('en')));
  const portuguese = new Map(leaves(textsOf('pt-BR')));
  expect([...portuguese.keys()]).toEqual([...english.keys()]);
  const shared = [...english].filter(([path, text]) => portuguese.get(path) === text).map(([path]) => path);
  expect(shared.every((path) => /\.(?:tag|status)$|document\.(?:individual|business)$/.test(path))).toBe(
    true,
  );
  expect(
    [...english, ...portuguese].filter(([, text]) => typeof text !== 'string' || !/\S/.test(text)),
  ).toEqual([]);
});

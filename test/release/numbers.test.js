import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { nodesToCheck } from './checks/nodes.js';
import { growthProblems } from './checks/size.js';

test('the smoke runs on the oldest Nodes that are promised and on a new one', () => {
  expect(nodesToCheck('^20.19.0 || >=22.3.0')).toEqual(['20.19.0', '22.3.0', '24']);
  const majors = nodesToCheck(packageJson.engines.node).map((version) => version.split('.')[0]);
  expect(majors).toEqual(['20', '22', '24']);
});

test.each([
  [{ tarballKb: 125, packages: 1 }, []],
  [{ tarballKb: 125.1, packages: 1 }, ['tarballKb: expected 125 at most; got 125.1.']],
  [{ tarballKb: 20, packages: 2 }, ['packages: expected 1 at most; got 2.']],
  [{ fontsKb: 1 }, ['fontsKb: expected 0 at most; got 1.']],
])('%j after 100 kB in one package: %j', (now, problems) => {
  expect(growthProblems({ tarballKb: 100, packages: 1 }, now)).toEqual(problems);
});

import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/testing/create-sandbox.js';
import type { Plant } from '../helpers/explore/plants.js';
import { PLANT_FOR_TWO, PLANTS } from '../helpers/explore/plants.js';
import { Shop } from '../helpers/explore/shop.js';
import { Bank, runSuite } from '../helpers/explore/suite.js';

async function run(plant?: Plant) {
  await using sandbox = await createSandbox({ seed: '7', port: false });
  const shop = new Shop({ env: sandbox.env, fetch: sandbox.fetch, plant: plant?.plant });
  sandbox.forwardTo(shop);
  await runSuite(shop, new Bank(sandbox.fetch));
}

describe('without faults the suite is green', () => {
  test('on the example shop', () => run());
  test.for([...PLANTS, PLANT_FOR_TWO])('on a shop that $what', (plant) => run(plant));
});
void expect;

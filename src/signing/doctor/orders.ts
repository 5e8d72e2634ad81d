import { type Mistake, mistake, namedVariants, type Variant } from './mistake.js';
import type { PartName } from './plan.js';

/**
 * Mistakes about which parts are signed and in which order, for the right order of a request or of a webhook. `names`
 * are the words for the parts.
 */
export function orderMistakes(
  right: readonly PartName[],
  names: Readonly<Record<PartName, string>>,
  usual: readonly (readonly PartName[])[],
): readonly Mistake[] {
  const wording = (order: readonly PartName[]): string => order.map((part) => names[part]).join(', ');
  const fix = `Sign ${wording(right)}, all of them and in this order.`;
  const variants = (orders: readonly (readonly PartName[])[]): Variant[] =>
    namedVariants(
      'order',
      orders.map((order) => [wording(order), order]),
    );
  const subsets = subsetsOf(right);
  return [
    ...right.map((part) =>
      mistake(`${slug(names[part])}-left-out`, `The ${names[part]} was not signed.`, fix, () =>
        namedVariants('order', [['only the rest', right.filter((other) => other !== part)]]),
      ),
    ),
    mistake('parts-left-out', 'Only some of the parts were signed.', fix, () =>
      variants(subsets.filter((subset) => subset.length > 0 && subset.length < right.length - 1)),
    ),
    mistake('parts-order', 'The parts were signed in another order.', fix, () => [
      ...variants(usual),
      ...permutationsOf(right).map((order) => ({ change: { order }, detail: wording(order), alone: true })),
    ]),
    mistake('parts-twice', 'One part was signed twice.', fix, () =>
      variants(right.map((_part, at) => right.toSpliced(at, 0, ...right.slice(at, at + 1)))),
    ),
  ];
}

function slug(name: string): string {
  return name.replaceAll(' ', '-');
}

function subsetsOf<Item>([first, ...rest]: readonly Item[]): Item[][] {
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without.map((subset) => [first, ...subset]), ...without];
}

function permutationsOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [items.slice()];
  return items.flatMap((item, at) =>
    permutationsOf(items.toSpliced(at, 1)).map((rest) => [item].concat(rest)),
  );
}

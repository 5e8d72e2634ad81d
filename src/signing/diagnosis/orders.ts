import { type Mistake, mistake, rowsAbout, type Variant, withRare } from './mistake.js';
import type { PartName } from './plan.js';

type Order = readonly PartName[];

/** The correct order of a message's parts, their names, and the likely wrong orders and selections. */
export interface OrderTable {
  readonly right: Order;
  readonly names: Readonly<Partial<Record<PartName, string>>>;
  readonly likelyOrders: readonly Order[];
  readonly likelyChoices: readonly Order[];
}

/** Mistakes about which parts are signed, and in which order. */
export function orderMistakes({ right, names, likelyOrders, likelyChoices }: OrderTable): readonly Mistake[] {
  const nameOf = (part: PartName): string => names[part] ?? part;
  const wording = (order: Order): string => order.map(nameOf).join(', ');
  const variants = (orders: readonly Order[]): Variant[] =>
    orders.map((order) => ({ change: { order }, detail: wording(order) }));
  const fix = `Sign ${wording(right)}, all of them and in this order.`;
  const row = rowsAbout('order', fix);
  const choices = subsetsOf(right).filter(({ length }) => length > 0 && length < right.length - 1);
  return [
    ...right.map((part) =>
      row(`${nameOf(part).replaceAll(' ', '-')}-left-out`, `The ${nameOf(part)} was not signed.`, () => [
        right.filter((other) => other !== part),
      ]),
    ),
    mistake('parts-left-out', 'Only some of the parts were signed.', fix, () => [
      ...variants(likelyChoices),
      ...variants(choices),
    ]),
    withRare(
      mistake('parts-order', 'The parts were signed in another order.', fix, () => variants(likelyOrders)),
      () => variants(permutationsOf(right)),
    ),
    mistake('parts-twice', 'One part was signed twice.', fix, () =>
      variants(right.map((_part, at) => right.toSpliced(at, 0, ...right.slice(at, at + 1)))),
    ),
  ];
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

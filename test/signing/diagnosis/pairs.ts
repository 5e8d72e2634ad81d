import type { SenderMistake } from './sender.js';

/** Pairs of mistakes about different things, drawn from a seed so that a failure can be seen again. */
export function drawPairs(
  mistakes: readonly SenderMistake[],
  { count, seed }: { count: number; seed: number },
): [SenderMistake, SenderMistake][] {
  const random = generator(seed);
  const draw = (): SenderMistake | undefined => mistakes[Math.floor(random() * mistakes.length)];
  const pairs: [SenderMistake, SenderMistake][] = [];
  while (pairs.length < count) {
    const [one, other] = [draw(), draw()];
    if (one && other && one.about !== other.about) pairs.push([one, other]);
  }
  return pairs;
}

/** Numbers from 0 to 1 that follow from a seed (a linear congruential generator). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

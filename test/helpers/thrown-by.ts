import { expect } from 'vitest';

type ErrorClass<Thrown extends Error> = abstract new (...args: never[]) => Thrown;

/** What a function throws, which must be of the class. */
export function thrownBy<Thrown extends Error>(act: () => unknown, errorClass: ErrorClass<Thrown>): Thrown {
  let thrown: unknown;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  return checked(thrown, errorClass);
}

/** What a promise rejects with, which must be of the class. */
export async function rejectionOf<Thrown extends Error>(
  work: Promise<unknown>,
  errorClass: ErrorClass<Thrown>,
): Promise<Thrown> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return checked(thrown, errorClass);
}

function checked<Thrown extends Error>(thrown: unknown, errorClass: ErrorClass<Thrown>): Thrown {
  expect(thrown).toBeInstanceOf(errorClass);
  if (!(thrown instanceof errorClass)) throw new Error(`Expected a ${errorClass.name} to be thrown.`);
  return thrown;
}

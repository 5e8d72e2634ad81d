/**
 * Makes `instanceof` hold for instances of every copy of this package in a process: beside `import` there may
 * be `require`, and Jest loads a copy for each test file and after `jest.resetModules`.
 */
export function shareAcrossCopies(type: abstract new (...args: never[]) => object, name: string): void {
  const brand = Symbol.for(`pix-sandbox.${name}`);
  Object.defineProperty(type.prototype, brand, { value: true });
  const isInstance = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(type, Symbol.hasInstance, {
    // Subclasses inherit this function, and ask for themselves.
    value(this: unknown, value: unknown): boolean {
      if (this !== type) return isInstance.call(this as typeof type, value);
      return typeof value === 'object' && value !== null && brand in value;
    },
  });
}

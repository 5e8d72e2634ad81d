/**
 * Makes `instanceof` work across all copies of this package in a process. `require` can load a second copy in
 * addition to `import`, and Jest loads a copy for each test file and after `jest.resetModules`.
 */
export function shareAcrossRealms(type: abstract new (...args: never[]) => object, name: string): void {
  const brand = Symbol.for(`pix-sandbox.${name}`);
  Object.defineProperty(type.prototype, brand, { value: true });
  const isInstance = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(type, Symbol.hasInstance, {
    // Subclasses inherit this function but require the ordinary `instanceof` check.
    value(this: unknown, value: unknown): boolean {
      if (this !== type) return isInstance.call(this as typeof type, value);
      return typeof value === 'object' && value !== null && brand in value;
    },
  });
}

// What Jest brings when it runs a file: too large an installation for its types alone.

declare module '@jest/globals' {
  export const expect: { readonly extend: (matchers: object) => void };
}

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> {}
}

// Declares Jest's globals, because Jest is too large to install only for its types.

declare module '@jest/globals' {
  export const expect: { readonly extend: (matchers: object) => void };
}

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> {}
}

// Types of Jest's globals: too large an installation for its types only.

declare module '@jest/globals' {
  export const expect: { readonly extend: (matchers: object) => void };
}

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> {}
}

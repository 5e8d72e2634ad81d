// Adds the matchers to Jest, and their types to both kinds of `expect`. For use in `setupFilesAfterEnv`.
import { expect } from '@jest/globals';
import type { SandboxMatchers } from './matchers.js';
import { matchers } from './matchers.js';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> extends SandboxMatchers<R> {}
}

declare global {
  namespace jest {
    interface Matchers<R> extends SandboxMatchers<R> {}
  }
}

expect.extend(matchers);

// Adds the matchers to Vitest, and their types to `expect`. For use in `setupFiles`.
import { expect } from 'vitest';
import type { SandboxMatchers } from './matchers.js';
import { matchers } from './matchers.js';

declare module 'vitest' {
  interface Matchers<T> extends SandboxMatchers<T> {}
}

expect.extend(matchers);

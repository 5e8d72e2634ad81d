import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import packageJson from './package.json' with { type: 'json' };

/** Also what a test gives its own environment keeps no compiled code in the home of whoever runs it. */
const CACHE_HOME = { XDG_CACHE_HOME: join(import.meta.dirname, 'node_modules/.cache') };

export default defineConfig({
  define: { __VERSION__: JSON.stringify(packageJson.version), __BUGS_URL__: '""' },
  test: {
    // By default vitest leaves one of two cores idle; `npm test` runs two of these beside each other.
    maxWorkers: 2,
    // A machine that sets it has every Node process read a file of certificates, which takes as long as its start.
    env: { NODE_EXTRA_CA_CERTS: '' },
    // What one project has made of a file, the others read, and so does the next run.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Property tests take seconds on a machine that is busy.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: ['test/**/*.test.{ts,js}'],
          exclude: ['test/e2e/**', 'test/browser/**', 'test/soak/**'],
          setupFiles: ['test/helpers/openapi/openapi-setup.ts'],
          // Loading everything anew for each file would double the time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          env: CACHE_HOME,
          include: ['test/e2e/**/*.test.{ts,js}'],
          isolate: false,
          setupFiles: ['test/helpers/openapi/openapi-fetch-setup.ts'],
          // With other work beside it, the machine starts processes slowly.
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          env: CACHE_HOME,
          include: ['test/browser/**/*.test.ts'],
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import packageJson from './package.json' with { type: 'json' };

export default mergeConfig(
  defineConfig({ define: { __VERSION__: JSON.stringify(packageJson.version), __BUGS_URL__: '""' } }),
  defineConfig({
    test: {
      include: [
        'test/soak/**/*.test.ts',
        // These try whole matrices where WHOLE is set.
        'test/browser/console-access.test.ts',
        'test/browser/console-live.test.ts',
        'test/browser/console-safety.test.ts',
        'test/browser/pages.test.ts',
        'test/browser/pay.test.ts',
        'test/browser/sdk.test.ts',
        'test/check/matrix.test.ts',
        'test/cli/foreign-server.test.ts',
        'test/core/world.test.ts',
        'test/core/input/kinds.test.ts',
        'test/core/state/import.test.ts',
        'test/core/webhooks/incidents.test.ts',
        'test/core/webhooks/retention.test.ts',
        'test/explore/explore.test.ts',
        'test/fixtures/guides-receivers.test.ts',
        'test/store/lock.test.ts',
        'test/text/shell/placeholders.test.ts',
        'test/e2e/check-receivers.test.ts',
        'test/e2e/crash.test.ts',
        'test/e2e/documents.test.ts',
        'test/e2e/examples-shop.test.ts',
        'test/e2e/explore.test.ts',
        'test/e2e/hostile.test.ts',
        'test/e2e/package.test.ts',
        'test/e2e/terminal-init.test.ts',
        'test/signing/diagnosis/request.test.ts',
        'test/signing/diagnosis/webhook.test.ts',
        'test/e2e/secrets.test.ts',
        'test/http/control/timeline-secrets.test.ts',
        'test/text/shell/curl.test.ts',
        'test/text/shell/words.test.ts',
      ],
      env: { WHOLE: '1', XDG_CACHE_HOME: join(import.meta.dirname, 'node_modules/.cache') },
      // Programs of other languages are started two at a time.
      maxConcurrency: 2,
      testTimeout: 900_000,
      hookTimeout: 60_000,
    },
  }),
);

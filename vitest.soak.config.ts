import { defineConfig, mergeConfig } from 'vitest/config';
import packageJson from './package.json' with { type: 'json' };

export default mergeConfig(
  defineConfig({ define: { __VERSION__: JSON.stringify(packageJson.version) } }),
  defineConfig({
    test: {
      include: [
        'test/soak/**/*.test.ts',
        'test/core/world.test.ts',
        'test/signing/diagnosis/**/*.test.ts',
        'test/e2e/secrets.test.ts',
        'test/http/control/timeline/timeline-secrets.test.ts',
      ],
      env: { WHOLE: '1', WORLD_RUNS: '10000', SECRET_CALLS: '1100', PLANTED: '10000' },
      testTimeout: 900_000,
    },
  }),
);

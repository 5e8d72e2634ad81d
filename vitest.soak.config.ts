import { defineConfig, mergeConfig } from 'vitest/config';
import packageJson from './package.json' with { type: 'json' };

export default mergeConfig(
  defineConfig({ define: { __VERSION__: JSON.stringify(packageJson.version) } }),
  defineConfig({
    test: { include: ['test/soak/**/*.test.ts'], testTimeout: 900_000, passWithNoTests: true },
  }),
);

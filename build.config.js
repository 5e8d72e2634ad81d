// Bundles every library into dist, so that the published package depends on nothing at run time.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { build } from 'rolldown';

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

rmSync('dist', { recursive: true, force: true });

await build({
  input: {
    cli: 'src/cli/main.ts',
    signing: 'src/signing/index.ts',
  },
  platform: 'node',
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  transform: { target: 'node20', define: { __VERSION__: JSON.stringify(version) } },
  output: {
    dir: 'dist',
    format: 'esm',
    minify: true,
    cleanDir: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
});

execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});

// How src becomes dist: one entry, every command and every heavy dependency a chunk of its own.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

export default defineConfig({
  input: {
    main: 'src/main.ts',
    'compile-cache': 'src/compile-cache.ts',
    'completion-callback': 'src/completion-callback.ts',
  },
  platform: 'node',
  // Native, optional and found at run time only.
  external: ['@napi-rs/keyring'],
  transform: { define: { PAYDESK_VERSION: JSON.stringify(version) } },
  output: { dir: 'dist', format: 'esm', cleanDir: true, minify: true, chunkFileNames: '[name]-[hash].js' },
});

import { chmod, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** What the built main process finds at run time; everything else is bundled, so `dist/` runs by itself. */
const providedByRuntime = ['electron', 'vitest', 'bufferutil', 'utf-8-validate', ...builtinModules, /^node:/];

/** The licenses of the packages that are bundled go with the bundles. */
const license = { fileName: 'licenses/packages.md' };

/** Those that vite does not see: of style sheets, of fonts, and of what monaco-editor bundles itself. */
const otherLicenses: Readonly<Record<string, string>> = {
  'inter.txt': 'node_modules/@fontsource-variable/inter/LICENSE',
  'jetbrains-mono.txt': 'node_modules/@fontsource-variable/jetbrains-mono/LICENSE',
  'tailwindcss.txt': 'node_modules/tailwindcss/LICENSE',
  'monaco-editor.txt': 'node_modules/monaco-editor/ThirdPartyNotices.txt',
};

const withOtherLicenses: Plugin = {
  name: 'other-licenses',
  applyToEnvironment: (environment) => environment.name === 'client',
  async generateBundle() {
    for (const [name, file] of Object.entries(otherLicenses)) {
      this.emitFile({ type: 'asset', fileName: `licenses/${name}`, source: await readFile(path(file)) });
    }
  },
};

/** The types of the helper for vitest, which other projects import. */
const vitestTypes: Plugin = {
  name: 'vitest-types',
  applyToEnvironment: (environment) => environment.name === 'main',
  async generateBundle() {
    const source = await readFile(path('main/hosts/vitest/types.d.ts'));
    this.emitFile({ type: 'asset', fileName: 'vitest.d.ts', source });
  },
};

/** The bin has to be executable: npm sets the bit where it installs a package, not in a checkout. */
const executableBin: Plugin = {
  name: 'executable-bin',
  applyToEnvironment: (environment) => environment.name === 'main',
  writeBundle: () => chmod(path('dist/main/cli.js'), 0o755),
};

/**
 * Schemas of the contract are never made JSON Schemas of in the page, but each of zod's classes names what would do it:
 * 7 kB of the first scripts.
 */
const withoutJsonSchemas: Plugin = {
  name: 'without-json-schemas',
  applyToEnvironment: (environment) => environment.name === 'client',
  transform: {
    filter: { id: /zod\/v4\/core\/(?:json-schema-processors|to-json-schema)\.js$/ },
    handler: (code) => {
      const names = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
      const stubs = names.map((name) => `export const ${name} = () => notHere;`);
      return {
        code: `const notHere = () => { throw new Error('not in the page'); };\n${stubs.join('\n')}`,
        map: null,
      };
    },
  },
};

// One configuration, three environments: the page, the Node side (all hosts) and Electron's preload script.
export default defineConfig({
  root: path('renderer'),
  base: './',
  plugins: [react(), tailwindcss(), executableBin, vitestTypes, withoutJsonSchemas, withOtherLicenses],
  builder: {
    buildApp: async (builder) => {
      for (const environment of Object.values(builder.environments)) {
        if (environment.name !== 'ssr') await builder.build(environment);
      }
    },
  },
  environments: {
    client: {
      build: {
        outDir: path('dist/renderer'),
        emptyOutDir: true,
        target: 'chrome130',
        license,
        sourcemap: true,
        chunkSizeWarningLimit: 4000,
      },
    },
    main: {
      consumer: 'server',
      resolve: { noExternal: true, conditions: ['node'], mainFields: ['module', 'main'] },
      build: {
        outDir: path('dist/main'),
        emptyOutDir: true,
        target: 'node20',
        license,
        sourcemap: true,
        minify: false,
        rolldownOptions: {
          platform: 'node',
          input: {
            electron: path('main/hosts/electron/index.ts'),
            cli: path('main/hosts/cli/index.ts'),
            'trace-worker': path('main/trace-worker.ts'),
            'long-work-thread': path('main/long-work-thread.ts'),
            'demo-server': path('fixtures/demo/index.ts'),
            vitest: path('main/hosts/vitest/index.ts'),
          },
          external: providedByRuntime,
          output: {
            format: 'esm',
            entryFileNames: '[name].js',
            chunkFileNames: 'chunks/[name]-[hash].js',
          },
        },
      },
    },
    preload: {
      consumer: 'server',
      resolve: { noExternal: true },
      build: {
        outDir: path('dist/preload'),
        emptyOutDir: true,
        target: 'chrome130',
        minify: false,
        rolldownOptions: {
          platform: 'browser',
          input: { index: path('preload/index.ts') },
          external: ['electron'],
          output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
        },
      },
    },
  },
});

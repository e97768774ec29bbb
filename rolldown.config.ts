// How src becomes dist: one entry, every command and every heavy dependency a chunk of its own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  type ChunkingContext,
  defineConfig,
  type OutputOptions,
  type Plugin,
  type RolldownOptions,
} from 'rolldown';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

const shared: RolldownOptions = {
  platform: 'node',
  // Modules are put in the order of their paths: with these, a linked node_modules gives the same bytes.
  resolve: { symlinks: false },
  // Native, optional and found at run time only.
  external: ['@napi-rs/keyring'],
  transform: { define: { PAYDESK_VERSION: JSON.stringify(version) } },
  // A door that passes on what is in many files must not make them all part of whoever takes one. Nor is a module of Node
  // loaded if nothing of it is used.
  treeshake: { moduleSideEffects: (id) => !/[\\/](src|csv-parse|@inquirer)[\\/]|^node:/.test(id) },
  plugins: [
    lightBuiltins(),
    asciiOnly(),
    withoutUnused(),
    oneWidth(),
    lazyStringWidth(),
    kyWithoutFetch(),
    chunkPackages(),
  ],
};
const output: OutputOptions = {
  dir: 'dist',
  format: 'esm',
  minify: true,
  chunkFileNames: '[name]-[hash].js',
};

const smallParts =
  /[\\/]src[\\/]((commands|api|changes(?![\\/](create|bulk)))[\\/]|profiles[\\/]account-words|plans[\\/]plan-types)/;

const moneyAndEvidence =
  /[\\/](api[\\/]charges|journal[\\/](words[\\/]alarm-words|claims|guards|questions[\\/](unconfirmed|by-hand|paid-twice)|verdict|read-again|resolve))\.ts$/;

// Each entry by itself: what they share would otherwise be files of their own, and every file takes its time.
export default defineConfig([
  {
    ...shared,
    input: { start: 'bin/start.ts' },
    output: {
      ...output,
      cleanDir: true,
      codeSplitting: {
        groups: [
          { name: alwaysLoaded, debugName: 'core' },
          // What draws lines is one file, and what draws tables another.
          {
            name: 'lines',
            test: /[\\/](src[\\/]terminal[\\/](blocks|text-lines|width)\.ts$|(string-width|cli-table3)[\\/])/,
          },
          { name: 'table', test: /[\\/]src[\\/]terminal[\\/]table[\\/]table\.ts$/ },
          // Small parts of many commands: to find and read a file takes longer than what is in them. What 19 commands need or more
          // is what the lists need too: they read nothing of what fewer need, such as refunds and reports. Only few commands
          // need what creates orders, or refunds many of them.
          { name: 'common', test: smallParts, minShareCount: 19 },
          // Fewer commands need these, but in the file of a list of changes every other command would load that list.
          {
            name: 'common',
            test: /[\\/]src[\\/]commands[\\/]journal[\\/](meant-change|meant-names|journal-scope)\.ts$/,
          },
          // What is left of a list of changes, and of a list of orders, is one file each, although other commands need some of it too.
          { name: 'changes-list', test: /[\\/]src[\\/]commands[\\/]journal[\\/](list|look-again)\.ts$/ },
          { name: 'list', test: /[\\/]src[\\/]commands[\\/]orders[\\/](list|known-columns)\.ts$/ },
          { name: 'shared', test: smallParts, minShareCount: 3 },
          // And so is what a refund, an approval and a plan need of refunds.
          { name: 'refunding', test: /[\\/]src[\\/](changes[\\/]refund|orders)[\\/]/, minShareCount: 2 },
          // What every command loads stays one file, although others need some of it too.
          {
            name: (id, context) =>
              loadedFirst(/[\\/]src[\\/]cli[\\/]make-context\.ts$/, id, context) ? 'context' : null,
            debugName: 'context',
          },
        ],
      },
    },
  },
  {
    ...shared,
    input: { complete: 'bin/complete.ts' },
    preserveEntrySignatures: 'allow-extension',
    output: {
      ...output,
      codeSplitting: {
        includeDependenciesRecursively: false,
        // How the money of an order is read is needed only behind --charge; the door of the journal passes on what judges it.
        groups: [
          {
            name: (id, context) =>
              !moneyAndEvidence.test(id) && loadedFirst(/[\\/]bin[\\/]complete\.ts$/, id, context)
                ? 'tab'
                : null,
            debugName: 'tab',
          },
        ],
      },
    },
  },
  { ...shared, input: { 'compile-cache': 'bin/compile-cache.ts' }, output },
  { ...shared, input: { help: 'bin/help.ts' }, output },
]);

/** Everything that the start imports before it knows what is to run is one file. */
function alwaysLoaded(id: string, context: ChunkingContext): string | null {
  return loadedFirst(/[\\/]bin[\\/]start\.ts$/, id, context) ? 'core' : null;
}

/** Whether an entry imports a module statically, itself or through others. */
function loadedFirst(entry: RegExp, id: string, context: ChunkingContext): true | null {
  const seen = new Set<string>();
  const reaches = (one: string): boolean => {
    if (entry.test(one)) return true;
    if (seen.has(one)) return false;
    seen.add(one);
    return (context.getModuleInfo(one)?.importers ?? []).some(reaches);
  };
  return reaches(id) ? true : null;
}

/**
 * An `import` of a module of Node reads every export of it, also those that load more when they are read: `node:fs`
 * costs 7 ms, `node:http` all of fetch. So chunks take only what they name; a function of a module that is slow to
 * load, when it is called.
 */
function lightBuiltins(): Plugin {
  const slow = [
    'node:child_process',
    'node:crypto',
    'node:fs/promises',
    'node:sea',
    'node:stream/consumers',
    'node:tls',
    'node:util',
    'node:v8',
  ];
  const builtin = (module: string) => `globalThis.process.getBuiltinModule("${module}")`;
  const onCall = (module: string, pair: string) => {
    const [name = '', local = name] = pair.split(':');
    const known: unknown = Reflect.get(Object(process.getBuiltinModule(module)), name);
    if (typeof known !== 'function' || !/^[a-z]/.test(name) || name === 'default')
      throw new Error(
        `${name} of ${module} is not called: import the module as a whole, or take it off the list`,
      );
    return `${local}=(...a)=>${builtin(module)}.${name}(...a)`;
  };
  return {
    name: 'light-builtins',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        chunk.code = chunk.code.replace(
          /(?<=^|[;\n])import *([\w$]+ *, *)?(\{[^}]*\}|\* *as *[\w$]+|[\w$]+) *from *"(node:[\w/]+)"/g,
          (_found, whole: string | undefined, named: string, module: string) => {
            const names = named.replace(/^\* *as */, '').replace(/ as /g, ':');
            if (whole !== undefined)
              return `const ${whole.replace(/[ ,]/g, '')}=${builtin(module)},${names}=${builtin(module)}`;
            if (!slow.includes(module) || !names.startsWith('{')) return `const ${names}=${builtin(module)}`;
            const pairs = names.replace(/[{}\s]/g, '').split(',');
            return `const ${pairs.map((pair) => onCall(module, pair)).join(',')}`;
          },
        );
        if (/(?<=^|[;\n])import\b[^;()]*"node:/.test(chunk.code))
          this.error(`${chunk.fileName} has an import of a module of Node that is not made light`);
      }
    },
  };
}

/**
 * Writes every character beyond ASCII as an escape. With a single one, V8 keeps the whole chunk in two bytes per character, and
 * Node turns it into UTF-8 again to look into its compile cache: 3 ms for the chunks of a list.
 */
function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        if (/String\.raw`[^`]*[^\0-\x7f]/.test(chunk.code))
          this.error(`${chunk.fileName}: String.raw would show the escape of a character`);
        chunk.code = chunk.code.replace(
          /[^\0-\x7f]/g,
          (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
      }
    },
  };
}

/** Notes in reports/packages which packages are in which chunk, by their folders: for their licences, and the test of what a start loads. */
function chunkPackages(): Plugin {
  return {
    name: 'chunk-packages',
    generateBundle(_options, bundle) {
      mkdirSync('reports/packages', { recursive: true });
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        const packages = Object.keys(chunk.modules).map(
          (id) => /.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0],
        );
        const folders = [...new Set(packages)].filter((folder) => folder !== undefined).sort();
        writeFileSync(`reports/packages/${chunk.fileName}.json`, JSON.stringify(folders));
      }
    },
  };
}

/**
 * Three things that paydesk never asks for: commander can start other programs as commands, and what starts them takes 5 ms to load;
 * conf can check values against a schema, and what does is 145 kB; cli-table3 can colour borders, and what does is a quarter of the
 * file that draws lines.
 */
function withoutUnused(): Plugin {
  const unused =
    /[\\/](commander[\\/].* node:child_process|conf[\\/].* ajv\S*|cli-table3[\\/].* @colors\S*)$/;
  return {
    name: 'without-unused',
    resolveId: (name, from) => (unused.test(`${from} ${name}`) ? '\0unused' : undefined),
    load: (id) => (id === '\0unused' ? 'export const Ajv2020 = undefined; export default {};' : undefined),
  };
}

/**
 * ky names Request, Headers and more as globals, and the first of them that is read loads all of fetch: 60 ms. In the bundle
 * it gets those of src/api/light-web.ts. paydesk hands ky a fetch of its own, so nothing else of the web is needed.
 */
function kyWithoutFetch(): Plugin {
  const light = /\bglobalThis\.(Request|Response|Headers)\b|\bnew (Request)\(/g;
  const absent = /\bglobalThis\.(FormData|ReadableStream)\b/g;
  const file = JSON.stringify(`${import.meta.dirname}/src/api/light-web.ts`);
  return {
    name: 'ky-without-fetch',
    transform(code, id) {
      if (!/[\\/]ky[\\/]distribution[\\/]/.test(id)) return undefined;
      const changed = code
        .replace(light, (_found, global, made) => (made ? `new light.${made}(` : `light.${global}`))
        .replace(absent, 'undefined');
      return changed === code ? undefined : `import * as light from ${file};\n${changed}`;
    },
  };
}

/** cli-table3 brings a string-width of its own, which takes 10 ms to set up. It measures with the width.ts of all other texts. */
function oneWidth(): Plugin {
  const file = JSON.stringify(`${import.meta.dirname}/src/terminal/width.ts`);
  return {
    name: 'one-width',
    resolveId: (name, from) =>
      name === 'string-width' && /[\\/]cli-table3[\\/]/.test(from ?? '') ? '\0one-width' : undefined,
    load: (id) => (id === '\0one-width' ? `module.exports = require(${file}).widthOf;` : undefined),
  };
}

/**
 * string-width makes its regular expressions and its segmenter when it is imported, which takes 40 ms. In the bundle
 * they are made when a text first needs them. The largest one, of all emoji, takes 35 ms: it is asked only about graphemes
 * that hold what an emoji of several characters is made with, since those of one are as wide as their East Asian width.
 */
function lazyStringWidth(): Plugin {
  const constant = /^const (\w+) = (\/.*\/[a-z]*|new RegExp\(.*\)|new Intl\.Segmenter\(\));$/gm;
  const emoji = 'emojiPrefixRegex.exec(visibleSegment)';
  const sequence = String.raw`/[\u200d\ufe0f\u20e3\u{e007f}\p{Emoji_Modifier}\p{Regional_Indicator}]/u`;
  return {
    name: 'lazy-string-width',
    transform(code, id) {
      if (!/[\\/]string-width[\\/]index\.js$/.test(id)) return undefined;
      if (!code.includes(emoji)) this.error(`${id} has no "${emoji}" any more`);
      const names = [...code.matchAll(constant)].map(([, name = '']) => name);
      const lazy = code
        .replace(emoji, `${sequence}.test(visibleSegment) && ${emoji}`)
        .replace(
          constant,
          (_found, name: string, value: string) =>
            `let ${name}Made; const ${name}Of = () => (${name}Made ??= ${value});`,
        );
      return names.reduce(
        (text, name) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), `${name}Of()`),
        lazy,
      );
    },
  };
}

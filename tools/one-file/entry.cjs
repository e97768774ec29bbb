// The start of the one file (tools/one-file.ts). Its chunks, help pages and other texts are assets inside of it.
'use strict';

const sea = process.getBuiltinModule('node:sea');
const { Script } = process.getBuiltinModule('node:vm');
// Node does not read it in the one file, so it must not be refused either.
delete process.env.NODE_OPTIONS;

const loaded = new Map();

// biome-ignore lint/correctness/noUnusedVariables: what the build adds calls it.
function load(name) {
  if (!name.startsWith('./')) return process.getBuiltinModule(name) ?? missing(name);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const file = name.slice(2);
  const cachedData = cacheOf(file);
  const script = new Script(textOf(`dist/${file}`), { filename: file, ...(cachedData && { cachedData }) });
  script.runInThisContext()(load, module, module.exports, file, '.');
  return module.exports;
}

function missing(name) {
  throw new Error(`${name} is not in paydesk`);
}

// One byte per character: the chunks are ASCII.
function textOf(asset) {
  return Buffer.from(sea.getRawAsset(asset)).latin1Slice();
}

// Code that V8 compiled before, made on the same platform.
function cacheOf(file) {
  try {
    return Buffer.from(sea.getRawAsset(`cache/${file}`));
  } catch {
    return undefined;
  }
}

// Loads the native part of the keyring's module from a copy of its own, which is gone when the process ends.
// biome-ignore lint/correctness/noUnusedVariables: what the build adds calls it.
function loadKeyring() {
  const fs = process.getBuiltinModule('node:fs');
  const folder = fs.mkdtempSync(`${process.getBuiltinModule('node:os').tmpdir()}/paydesk-keyring-`);
  const file = `${folder}/keyring.node`;
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  fs.writeFileSync(file, Buffer.from(sea.getRawAsset('keyring.node')), { flag: 'wx', mode: 0o700 });
  const module = { exports: {} };
  process.dlopen(module, file);
  // Windows keeps it until the process ends.
  if (process.platform !== 'win32') remove();
  return module.exports;
}

const hidden = {
  // The build adds the words that paydesk starts itself with.
};

const [, , word = ''] = process.argv;
(Object.hasOwn(hidden, word) ? hidden[word] : start)();

async function start() {
  // bin/paydesk.js
}

// Runs the entry of the one file on a folder of assets, and keeps there what V8 compiled: `node record-code.cjs ENTRY FOLDER WORD…`.
// Every run adds to what was compiled before.
'use strict';

const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vm = require('node:vm');

const [, , entry, folder] = process.argv;
process.argv.splice(1, 3, 'paydesk');

const scripts = new Map();
class Script extends vm.Script {
  constructor(code, options) {
    super(code, options);
    scripts.set(options.filename, this);
  }
}
const { getBuiltinModule } = process;
const sea = {
  isSea: () => true,
  getRawAsset: (key) => Uint8Array.from(readFileSync(join(folder, key))).buffer,
  getAsset: (key, encoding) => readFileSync(join(folder, key), encoding),
};
process.getBuiltinModule = (name) =>
  name === 'node:sea' ? sea : name === 'node:vm' ? { Script } : getBuiltinModule(name);
process.on('exit', () => {
  for (const [file, script] of scripts) writeFileSync(join(folder, 'cache', file), script.createCachedData());
});
require(entry);

// Who may import whom in src. `npm run house` checks it; each rule says what to do instead.

// A room shows one file to the others: src/ROOM/ROOM.ts.
const doors = '^src/([^/]+)/\\1\\.ts$';

// Known to everyone: errors and exit codes, what a run is given from outside, texts that come with paydesk, SQLite files, how amounts are written and read, numbers of
// things in words, the service's facts and forms, the money of an order.
const everybody =
  '^src/(errors|refusal-codes|io|package-files|sqlite|amounts|typed-amounts|counted|api/(spec|json-values|documented-fields|resources|records|request-bodies|charges|payment))\\.ts$';

/** Package → its one door, a file or a folder of src. */
const packages = {
  commander: '^src/cli/',
  ky: '^src/api/',
  'csv-parse': '^src/(plans/csv-rows|exports/read-export)',
  '@inquirer/core': '^src/terminal/',
  '@inquirer/prompts': '^src/terminal/',
  'cli-table3': '^src/terminal/',
  chalk: '^src/terminal/',
  'string-width': '^src/terminal/',
  uqr: '^src/terminal/',
  conf: '^src/profiles/',
  '@napi-rs/keyring': '^src/profiles/',
  valibot: '^src/(api/(records|request-bodies)\\.ts$|profiles/|journal/|exports/|plans/|release/|sender/)',
  hono: '^src/(simulator|sender)/',
  '@hono/node-server': '^src/(simulator|sender)/',
  '@modelcontextprotocol/server': '^src/mcp/',
  pg: '^src/journal/postgres/server\\.ts$',
};
const names = Object.keys(packages);
const inModules = (name) => `(^|node_modules/)${name}(/|$)`;

module.exports = {
  forbidden: [
    {
      name: 'a-room-has-one-door',
      comment:
        'Import the door of the other room (src/ROOM/ROOM.ts), or take what you need as a parameter and let src/cli/ hand it over.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: '^src/(cli|commands|changes|sender)/' },
      to: { path: '^src/', pathNot: ['^src/$1/', doors, everybody] },
    },
    {
      name: 'typed-values-are-read-in-flags',
      comment:
        'Commands and changes share how typed values are read (src/flags/). Everything else: as a-room-has-one-door.',
      severity: 'error',
      from: { path: '^src/(commands|changes)/' },
      to: { path: '^src/', pathNot: ['^src/$1/', doors, everybody, '^src/flags/'] },
    },
    {
      name: 'commands-are-on-top',
      comment:
        'Only src/cli/ knows the commands. Move what you need below them: src/context/, src/flags/, or the room of its subject.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli|commands)/' },
      to: { path: '^src/commands/' },
    },
    {
      name: 'context-is-for-commands-and-changes',
      comment: 'Take what you need as a parameter.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli|commands|changes|context|flags)/' },
      to: { path: '^src/(context|flags)/' },
    },
    {
      name: 'the-sender-sends',
      comment:
        'The sender makes changes and reads attempts again, by the code of one machine. Everything else: as a-room-has-one-door.',
      severity: 'error',
      from: { path: '^src/sender/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/sender/',
          doors,
          everybody,
          '^src/journal/(make-change|read-again|change-outcome)\\.ts$',
        ],
      },
    },
    {
      name: 'desk-and-sender',
      comment: 'A desk and its sender are two programs: what both need is beside them, in src/sender/.',
      severity: 'error',
      from: { path: '^src/sender/at-(desk|sender)/' },
      to: { path: '^src/sender/at-(desk|sender)/', pathNot: '^src/sender/at-$1/' },
    },
    ...names.map((name) => ({
      name: `door-of-${name}`,
      comment: `Call what stands behind ${packages[name]}; a package has one door.`,
      severity: 'error',
      from: { path: '^src/', pathNot: packages[name] },
      to: { path: inModules(name) },
    })),
    {
      name: 'package-without-door',
      comment: 'This package has no door yet: choose one file for it, and add it to tools/house/rules.cjs.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypesNot: ['local', 'core'], pathNot: ['^src/', ...names.map(inModules)] },
    },
    {
      name: 'no-circle',
      comment: 'Two files that need each other are one file, or share a third.',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphan',
      comment: 'Nothing imports this file: delete it.',
      severity: 'error',
      from: { orphan: true, path: '^src/' },
      to: {},
    },
    {
      name: 'commands-do-no-io',
      comment: 'Ask ctx for it (src/context/context.ts), and let src/cli/ hand it over.',
      severity: 'error',
      from: { path: '^src/(commands|changes|context|flags)/' },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    parser: 'tsc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    builtInModules: { add: ['node:sqlite'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};

#!/usr/bin/env node
// Starts paydesk: checks Node, refuses a debugger, answers --version by itself, and loads only what help, TAB or a command
// needs.
const [major, minor] = process.versions.node.split('.').map(Number);
const { argv } = process;
const answersHelp = async () =>
  (argv.includes('--help') || argv.includes('-h')) && (await import('../dist/help.js')).answerHelp(process);
const isDebugged = () => process.getBuiltinModule('node:inspector')?.url() !== undefined;

if (!(major >= 26 || (major === 24 && minor >= 15))) {
  process.stderr.write(
    `error:   paydesk needs Node 24.15 or later, or 26 or later; this is ${process.versions.node}\n`,
  );
  process.exitCode = 1;
} else if ((process.execArgv.length > 0 || process.env.NODE_OPTIONS) && isDebugged()) {
  // The port of the debugger opened before this line. Whoever reaches it can read every key.
  process.stderr.write(
    'refused: a debugger is open in this process (--inspect), and it could read keys\n' +
      'certain: nothing was sent\nnow:     start paydesk without --inspect\n',
  );
  process.exitCode = 3;
} else if (argv.length === 3 && (argv[2] === '--version' || argv[2] === '-V')) {
  // An import of node:fs, or opening process.stdout, would take longer than everything else here.
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs');
  const { version } = JSON.parse(readFileSync(`${import.meta.dirname}/../package.json`, 'utf8'));
  try {
    writeSync(1, `${version}\n`);
  } catch ({ code }) {
    process.stderr.write(`incomplete: stdout could not be written (${code})\n`);
    process.exitCode = 9;
  }
} else if (!(await answersHelp())) {
  const { useCompileCache } = await import('../dist/compile-cache.js');
  useCompileCache(process);
  if (argv[2] === '__complete') {
    const { complete } = await import('../dist/complete.js');
    await complete(process);
  } else {
    // If FORCE_COLOR is set together with one of these, Node prints a warning on stderr.
    if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
    if (process.env.FORCE_COLOR) delete process.env.NODE_DISABLE_COLORS;
    const { start } = await import('../dist/start.js');
    await start(process);
  }
}

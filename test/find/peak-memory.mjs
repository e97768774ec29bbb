// Loaded before the program: writes the peak resident memory of the run (KiB) where PEAK_MEMORY_FILE says.
import { readFileSync, writeFileSync } from 'node:fs';

// The resource usage of a process counts what its parent held when it was started; the kernel's own mark does not.
function peak() {
  try {
    return /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

process.on('exit', () => {
  writeFileSync(process.env.PEAK_MEMORY_FILE, String(peak() ?? process.resourceUsage().maxRSS));
});

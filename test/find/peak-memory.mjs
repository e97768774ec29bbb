// Loaded before the program: writes the peak resident memory of the run (KiB) where PEAK_MEMORY_FILE says.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  writeFileSync(process.env.PEAK_MEMORY_FILE, String(process.resourceUsage().maxRSS));
});

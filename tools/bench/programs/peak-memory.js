// Loaded before a program of Node whose memory is measured: leaves its peak, in kB, in a file.
import { writeFileSync } from 'node:fs';

const { PEAK_MEMORY_FILE } = process.env;
if (PEAK_MEMORY_FILE !== undefined)
  process.on('exit', () => writeFileSync(PEAK_MEMORY_FILE, String(process.resourceUsage().maxRSS)));

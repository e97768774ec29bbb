// The clock of this machine, as bin/  hands it in.
export { systemClock as realClock } from '../../bin/process-io.ts';

// The clock of this machine, as main.ts hands it in.
export { systemClock as realClock } from '../../src/io.ts';

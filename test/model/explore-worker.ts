/** A thread that explores the rules it is given, and posts what it found. */

import { parentPort, workerData } from 'node:worker_threads';
import { explore } from './explore.ts';

parentPort?.postMessage(explore(workerData));

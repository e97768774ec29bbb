/** A thread that explores the rules it is sent, one after another, and posts what it found. */

import { parentPort } from 'node:worker_threads';
import { explore } from './explore.ts';

parentPort?.on('message', ({ rules, widest }) => parentPort?.postMessage(explore(rules, widest)));

/** Node's compile cache, in the cache folder, where that folder exists: help, version and completion create no file. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Module } from 'node:module';

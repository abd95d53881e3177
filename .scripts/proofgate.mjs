#!/usr/bin/env node
import { ensureForCommand, ensureForService } from './steps.mjs';

const [command, ...argv] = process.argv.slice(2);
await (command === 'serve' ? ensureForService : ensureForCommand)(argv);
await import('../dist/main.js');

#!/usr/bin/env node
import { ensureAll } from './steps.mjs';

ensureAll();
await import('../dist/main.js');

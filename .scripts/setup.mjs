import { ensureAll } from './steps.mjs';

ensureAll();

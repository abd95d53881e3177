import { checkPlatform, ensureAddon } from './steps.mjs';

checkPlatform();
process.exit(ensureAddon({ force: true }) ? 0 : 1);

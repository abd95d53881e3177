import { ensureLibrary } from './library.mjs';
import { checkPlatform, ensureClient, ensureDist, ensurePackages } from './steps.mjs';

checkPlatform();
ensurePackages();
await ensureDist();
await ensureClient();
await ensureLibrary();

import { ensureLibrary } from './library.mjs';
import { checkPlatform, ensureClient, ensureDist, ensurePackages } from './steps.mjs';

checkPlatform();
ensurePackages();
ensureDist();
ensureClient();
await ensureLibrary();

import { checkPlatform, ensureDist, ensurePackages } from './steps.mjs';

checkPlatform();
ensurePackages();
ensureDist();

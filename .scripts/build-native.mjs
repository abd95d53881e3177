import { ensureAddon, runBackgroundBuild } from './addon.mjs';
import { checkPlatform } from './steps.mjs';

checkPlatform();
if (process.argv.includes('--background')) process.exitCode = await runBackgroundBuild();
else process.exitCode = (await ensureAddon({ force: true })) ? 0 : 1;

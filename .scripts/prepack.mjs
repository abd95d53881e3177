/** Makes what `npm pack -w proofgate` packs: the library, with the addon of this machine. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureAddon } from './addon.mjs';
import { ensureLibrary } from './library.mjs';
import { ensurePackages } from './steps.mjs';
import { root, say } from './tools.mjs';

const ADDONS = [
  'native/addon/proofgate.linux-x64-gnu.node',
  'native/prebuilt/proofgate.linux-arm64-gnu.node',
];

ensurePackages();
await ensureAddon();
await ensureLibrary();
for (const file of ADDONS) {
  if (!existsSync(join(root, file))) say(`the package has no ${file}: WebAssembly runs on that platform`);
}

import { readFile, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { productionRefusals } from '../../config/production/production-refusals.ts';
import { isLoopback } from '../../config/settings/schema.ts';
import { cpuQuota, processors } from '../../config/settings/shape.ts';
import type { ExaminedConfig, LoadedConfig } from '../../config/sources/loaded-config.ts';
import { isSharedStore } from '../../storage/files/store-url.ts';
import { messageOf } from '../../text.ts';
import { TRIED_NODES } from '../../version.ts';
import type { CommandContext } from '../program/command.ts';
import { type CheckResult, fail, ok, warn } from './check.ts';
import { checkBackends } from './checks/backends.ts';
import { checkDataFolder, isNodeHere, isServed } from './checks/data-folder.ts';
import { checkEgressProxy } from './checks/egress-proxy.ts';
import { checkHttpLibrary } from './checks/http-library.ts';
import { checkIssuer } from './checks/issuer.ts';
import { checkKeys } from './checks/keys.ts';
import {
  checkClock,
  checkDescriptors,
  checkDisk,
  checkNode,
  checkPlatform,
  checkShape,
} from './checks/platform.ts';
import { checkPort } from './checks/ports.ts';
import { checkStore } from './checks/store.ts';
import { checkTls } from './checks/tls.ts';
import { checkWebhooks } from './checks/webhooks.ts';
import { checkWorldId } from './checks/worldid/check-worldid.ts';
import { checkSigninWorldId4 } from './checks/worldid/signin-worldid4.ts';

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

function glibcVersion(): string | undefined {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime;
}

async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw error;
    }
    return await freeBytes(parent);
  }
}

const SETTINGS_CURE = 'Correct the settings; `proofgate config explain` shows those in force.';

function checkSettings(loaded: LoadedConfig): CheckResult[] {
  const refusals = productionRefusals(loaded).map((text) => fail('settings', text, SETTINGS_CURE));
  const warnings = loaded.warnings.map((text) => warn('settings', text, 'Correct or remove it.'));
  const found = [...refusals, ...warnings];
  return found.length > 0
    ? found
    : [ok('settings', `profile ${loaded.config.profile}, file ${loaded.file ?? 'none'}`)];
}

async function checkByConfig(loaded: LoadedConfig, context: CommandContext): Promise<CheckResult[]> {
  const { config } = loaded;
  const folder = resolve(config.dataDir);
  const dataFolder = await checkDataFolder(folder, config.profile);
  const isLocked = await isServed(folder);
  const store = await checkStore(loaded, context, isLocked);
  const isTls = config.tls.certFile !== undefined;
  const served = isSharedStore(config.storage.url)
    ? store.nodes && isNodeHere(store.nodes, context.now())
    : isLocked;
  return [
    ...checkSettings(loaded),
    ...(await checkBackends(config, context)),
    ...store.results,
    checkClock(context.now(), store.newestRecord),
    ...(await checkKeys(store, config, context)),
    ...(await checkEgressProxy(config)),
    ...(await checkWorldId(store.roots, config, context)),
    ...(await checkSigninWorldId4(config, store.signinWorldId4)),
    await checkHttpLibrary(config, loaded.origins, context.findHttpLibrary),
    await checkTls(config, context.now()),
    await checkPort({ name: 'server', ...config.server, isTls, path: '/healthz' }, served),
    await checkPort(
      {
        name: 'admin',
        ...config.admin,
        isTls: isTls && !isLoopback(config.admin.host),
        path: '/health/ready',
      },
      served,
    ),
    ...(await checkIssuer(config)),
    ...(await checkWebhooks({ config, outbox: store.outbox, now: context.now() })),
    checkDisk(await freeBytes(folder), folder),
    checkDescriptors((await textOf('/proc/self/limits')) ?? '', config.http.maxOpenExchanges),
    checkShape({
      shape: { frontEnds: config.server.frontEnds, workers: config.engine.workers },
      processors: processors(),
      quota: cpuQuota(),
    }),
    dataFolder,
  ];
}

const FAULTS_CURE = 'Correct the settings; the other checks need them.';

/** Runs all checks of `doctor`; returns the results in the order in which they are printed. */
export async function runChecks(context: CommandContext): Promise<CheckResult[]> {
  const platform = [
    checkNode(process.versions.node, TRIED_NODES),
    checkPlatform(process.platform, process.arch, glibcVersion()),
  ];
  let examined: ExaminedConfig;
  try {
    examined = await context.examineConfig();
  } catch (error) {
    return [...platform, fail('settings', messageOf(error), FAULTS_CURE)];
  }
  if (examined.faults.length === 0) return [...platform, ...(await checkByConfig(examined, context))];
  const faults = examined.config.profile === 'production' ? productionRefusals(examined) : examined.faults;
  return [...platform, ...faults.map((fault) => fail('settings', fault, FAULTS_CURE))];
}

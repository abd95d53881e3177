import { appsAdd } from './apps-add.ts';
import { appsDisable } from './apps-disable.ts';
import { appsEnable } from './apps-enable.ts';
import { appsList } from './apps-list.ts';
import { appsRemove } from './apps-remove.ts';
import { appsRemoveSecret } from './apps-remove-secret.ts';
import { appsRotateSecret } from './apps-rotate-secret.ts';
import { appsShow } from './apps-show.ts';
import { appsUpdate } from './apps-update.ts';
import { circuitsSetup } from './circuits-setup.ts';
import type { Command } from './command.ts';
import { configExplain } from './config-explain.ts';
import { configSchema } from './config-schema.ts';
import { credentialVerify } from './credential-verify.ts';
import { credentialsExport } from './credentials-export.ts';
import { devPersonCreate } from './dev-person-create.ts';
import { devPersonList } from './dev-person-list.ts';
import { devProve } from './dev-prove.ts';
import { devProveRefresh } from './dev-prove-refresh.ts';
import { doctor } from './doctor.ts';
import { hashActionCommand } from './hash-action.ts';
import { hashSignalCommand } from './hash-signal.ts';
import { healthcheck } from './healthcheck.ts';
import { keysExport } from './keys-export.ts';
import { keysList } from './keys-list.ts';
import { keysRemove } from './keys-remove.ts';
import { keysRotate } from './keys-rotate.ts';
import { loginDemo } from './login-demo.ts';
import { migrateStatus } from './migrate-status.ts';
import { migrateUp } from './migrate-up.ts';
import { orbKeysImport } from './orb-keys-import.ts';
import { orbKeysList } from './orb-keys-list.ts';
import { orbKeysRevoke } from './orb-keys-revoke.ts';
import { proofVerify } from './proof-verify.ts';
import { refreshDisable } from './refresh-disable.ts';
import { refreshEnable } from './refresh-enable.ts';
import { rootsAdd } from './roots-add.ts';
import { rootsExport } from './roots-export.ts';
import { rootsImport } from './roots-import.ts';
import { rootsList } from './roots-list.ts';
import { rootsPrune } from './roots-prune.ts';
import { serve } from './serve.ts';
import { signupsImport } from './signups-import.ts';
import { signupsRevoke } from './signups-revoke.ts';
import { signupsShow } from './signups-show.ts';
import { sweep } from './sweep.ts';
import { tokensIntrospect } from './tokens-introspect.ts';
import { tokensRevoke } from './tokens-revoke.ts';
import { vkeyImport } from './vkey-import.ts';
import { vkeyList } from './vkey-list.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serve,
  appsAdd,
  appsList,
  appsShow,
  appsUpdate,
  appsRotateSecret,
  appsRemoveSecret,
  appsEnable,
  appsDisable,
  appsRemove,
  keysList,
  keysRotate,
  keysRemove,
  keysExport,
  tokensIntrospect,
  tokensRevoke,
  vkeyImport,
  vkeyList,
  circuitsSetup,
  rootsAdd,
  rootsList,
  rootsImport,
  rootsExport,
  rootsPrune,
  signupsImport,
  signupsShow,
  signupsRevoke,
  orbKeysImport,
  orbKeysList,
  orbKeysRevoke,
  refreshEnable,
  refreshDisable,
  credentialsExport,
  proofVerify,
  credentialVerify,
  hashSignalCommand,
  hashActionCommand,
  loginDemo,
  devPersonCreate,
  devPersonList,
  devProve,
  devProveRefresh,
  configExplain,
  configSchema,
  migrateUp,
  migrateStatus,
  sweep,
  doctor,
  healthcheck,
];

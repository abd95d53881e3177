/** A sign-in service in the production profile, over TLS with a self-signed certificate. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { makeCertificate } from '../server/certificate.ts';
import { productionSettings } from '../server/production-app.ts';
import { type SigninService, signinSettings, startSigninService } from './service.ts';

/** The running service. */
export interface ProductionSignin {
  readonly service: SigninService;
  end(): Promise<void>;
}

/** Starts the service; `files` are written to a folder, and settings may refer to them as `{folder}/name`. */
export async function startProductionSignin(
  settings: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<ProductionSignin> {
  const folder = mkdtempSync(join(tmpdir(), 'proofgate-production-'));
  const { cert, key } = await makeCertificate('127.0.0.1');
  for (const [name, content] of Object.entries({ ...files, 'cert.pem': cert, 'key.pem': key })) {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
  const given = Object.entries(settings).map(([name, value]) => [name, value.replace('{folder}', folder)]);
  const port = await freePort();
  const service = await startSigninService({
    dataDir: folder,
    settings: {
      ...signinSettings(port),
      ...productionSettings(folder),
      baseUrl: `https://127.0.0.1:${port}`,
      'tls.certFile': join(folder, 'cert.pem'),
      'tls.keyFile': join(folder, 'key.pem'),
      'refresh.enabled': 'false',
      ...Object.fromEntries(given),
    },
  });
  return {
    service,
    async end() {
      await service.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

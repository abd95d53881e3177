import { describe, expect, it } from 'vitest';
import { startInterop } from '../../support/interop/relying-party.ts';
import { runShell } from './support/program.ts';
import { describeApp } from './support/sign-in-app.ts';
import { makeScratch } from './support/snippets.ts';
import { missingSpring } from './support/toolchains.ts';

describeApp({
  name: 'Express (TypeScript)',
  missing: undefined,
  files: ['server.ts'],
  start: 'start-express.sh',
  callback: '/callback',
  afterDecline: /^\/callback\?error=access_denied&/,
});

describeApp({
  name: 'Spring Boot (Java)',
  missing: missingSpring(),
  files: [
    'pom.xml',
    'src/main/resources/application.yaml',
    'src/main/java/com/example/signin/SignInApplication.java',
  ],
  start: 'start-spring.sh',
  callback: '/login/oauth2/code/proofgate',
  afterDecline: /^\/login\?error$/,
  prepare: (scratch) => scratch.write('.mvn/maven.config', '-o\n'),
});

describe('the commands of sign-in.md', () => {
  it('register the app and print its id and secret', async () => {
    const scratch = makeScratch();
    const interop = await startInterop();
    const env = { PROOFGATE_PROFILE: 'test', PROOFGATE_DATA_DIR: interop.service.app.dataDir };
    const { stdout, stderr } = await runShell(scratch, 'sign-in', ['register.sh'], {
      baseUrl: interop.issuer,
      env,
    });
    expect(stdout, stderr).toMatch(/^CLIENT_ID=app_staging_[0-9a-f]{32}\nCLIENT_SECRET=sk_[0-9a-f]{48}\n$/);
    await interop.end();
    scratch.end();
  });
});

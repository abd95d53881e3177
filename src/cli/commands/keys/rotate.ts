import { ServiceError } from '../../../errors/index.ts';
import { createKeyOperator, rotateNow } from '../../../oidc/keys/index.ts';
import type { Command } from '../../program/command.ts';
import { rotateCredential } from './credential.ts';
import { USE_OPTION, useOf } from './key-uses.ts';

/** `keys rotate`: the rotation that is due later, now. */
export const keysRotate: Command = {
  path: ['keys', 'rotate'],
  summary: 'let the next key of sign-in sign now, or with --use credential a new one that signs credentials',
  details: `Running servers follow within storage.cacheSeconds.
Sign-in: the active key stays published until its tokens have ended. Refused while the next key has been published for
less than keys.publishLeadSeconds, since verifiers with a cached key set would refuse its tokens.
Credentials: makes the first key, too. The former key stays listed as retired. Verifiers of credentials must learn the
new key by its registration. Refused with refresh.signingSeed, which each start makes the active key.`,
  options: [
    USE_OPTION,
    { flags: '--force', description: 'rotate although the next key of sign-in is too young' },
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    if (useOf(input) === 'credential') {
      if (input.has('force')) throw new ServiceError('cli.usage', '--force is for keys of sign-in');
      return await rotateCredential(loaded, context);
    }
    const { config } = loaded;
    return await context.withStore(loaded, async ({ signingKeys }) => {
      const operator = createKeyOperator(signingKeys, config, context.now);
      const change = await rotateNow(operator, input.has('force'));
      if (change.isEarly) context.note(earlyWarning(config.keys.jwksMaxAgeSeconds));
      await context.print(
        { active: change.activeKid, next: change.nextKid, early: change.isEarly },
        `active  ${change.activeKid}\nnext    ${change.nextKid}`,
      );
      return 0;
    });
  },
};

/** What a key that signs before its lead is over leads to. */
export function earlyWarning(jwksMaxAgeSeconds: number): string {
  return `warning: the active key was published only now: verifiers with a cached key set may refuse its tokens for up to ${jwksMaxAgeSeconds} s`;
}

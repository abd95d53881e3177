import { type AccountSecret, accountSecretOf } from '../../../semaphore/development-account.ts';
import { toHex } from '../../../semaphore/hex.ts';
import { refusalReason } from '../../../semaphore/replay-guard.ts';
import { decodeWord } from '../../../semaphore/words.ts';
import { WalletError } from '../calls/call.ts';
import type { Answer4, Refusal } from '../calls/wallet-api.ts';
import type { StoredIdentity } from '../identity/identity-book.ts';
import type { WalletParts } from '../wallet-parts.ts';
import type { ProofRequest4 } from './proof-request.ts';

/**
 * Answers a World ID 4.0 request as an identity and the installation in use, whose replay guard records the nullifier.
 *
 * @param lacks - Identifiers of credentials that the person does not have.
 * @throws WalletError `network`, `answer`, `storage`
 */
export async function answerRequest4(
  { api, installations, config }: Pick<WalletParts, 'api' | 'installations' | 'config'>,
  { plaintext }: ProofRequest4,
  identity: StoredIdentity,
  lacks: readonly string[],
): Promise<Answer4 | Refusal> {
  if (!config.hasWorldId4) {
    return {
      errorCode: 'world_id_4_not_available',
      reason: 'World ID 4.0 is switched off at the service of this wallet',
    };
  }
  const accountSecret = toHex(secretOf(identity));
  const { wallet } = installations.selected;
  const made = await api.answerWorldId4({ request: plaintext, accountSecret, wallet, lacks });
  if ('errorCode' in made || made.nullifier === undefined) return made;
  const verdict = installations.admit(made.nullifier, Date.now());
  if (verdict.state !== 'refused') return made;
  return { errorCode: 'nullifier_replayed', reason: refusalReason(verdict) };
}

/** Returns the secret of the World ID 4.0 account of a stored identity. */
export function secretOf(identity: StoredIdentity): AccountSecret {
  const [trapdoor, nullifier] = [decodeWord(identity.trapdoor), decodeWord(identity.nullifier)];
  if (!trapdoor || !nullifier) throw new WalletError('identity', 'The identity cannot be read.');
  return accountSecretOf({ trapdoor, nullifier });
}

import { ServiceError } from '../../errors/index.ts';
import type { ReadIdTokenHint } from '../issuing/index.ts';
import type { Parameters } from '../parameters.ts';

/**
 * Reads whom the client expects (spec/sign-in.md#hints): the `sub` of its `id_token_hint`.
 *
 * @returns Undefined if it expects nobody in particular.
 * @throws ServiceError `authorize.hint_invalid` for anything that is no ID token of this service for the client,
 *   `store.unreachable`
 */
export async function readHintedSub(
  parameters: Parameters,
  clientId: string,
  readHint: ReadIdTokenHint,
): Promise<string | undefined> {
  const path = 'id_token_hint';
  const text = parameters.get(path);
  if (text === undefined) return undefined;
  const hint = await readHint(text);
  if (hint?.clientId !== clientId) throw new ServiceError('authorize.hint_invalid', undefined, { path });
  return hint.sub;
}

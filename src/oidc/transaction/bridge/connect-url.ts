import { WORLD_APP_URL } from '../../../config/settings/signin-settings.ts';
import type { Config } from '../../../config/settings/types.ts';
import type { Bytes32 } from '../../../storage/index.ts';

/**
 * Address at which World App and simulators expect requests of staging clients (spec/sign-in.md#connect-url).
 */
const WORLD_APP_STAGING_URL = 'https://staging.world.org/verify';
/** The bridge that a wallet uses if the link names none. */
const IMPLIED_BRIDGE = 'https://bridge.worldcoin.org';

/** Content of a connect URL. */
export interface ConnectRequest {
  readonly bridgeId: string;
  readonly aesKey: Bytes32;
  readonly bridgeUrl: string;
  readonly isStaging: boolean;
}

/** Returns the URL for the QR code, at the configured wallet. */
export function connectUrl(
  wallet: Pick<Config['wallet'], 'url' | 'urlStyle'>,
  request: ConnectRequest,
): string {
  if (wallet.url === WORLD_APP_URL && wallet.urlStyle === 'query') return worldAppUrl(request);
  return `${wallet.url}${wallet.urlStyle === 'query' ? '?' : '#'}${members(request)}`;
}

/** Returns the URL for the QR code in the form of World App, whatever wallet is configured. */
export function worldAppUrl(request: ConnectRequest): string {
  return `${request.isStaging ? WORLD_APP_STAGING_URL : WORLD_APP_URL}?${members(request)}`;
}

function members({ bridgeId, aesKey, bridgeUrl }: ConnectRequest): string {
  const key = encodeURIComponent(Buffer.from(aesKey).toString('base64'));
  const bridge = bridgeUrl === IMPLIED_BRIDGE ? '' : `&b=${encodeURIComponent(bridgeUrl)}`;
  return `t=wld&i=${encodeURIComponent(bridgeId)}&k=${key}${bridge}`;
}

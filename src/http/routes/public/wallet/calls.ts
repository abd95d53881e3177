import type { DevelopmentTrees } from '../../../../development/index.ts';
import { ServiceError } from '../../../../errors/index.ts';
import type { CircuitStatus } from '../../../../pages.ts';
import { toHex } from '../../../../semaphore/index.ts';
import type { AppStore } from '../../../../storage/index.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { HttpResponse, Route } from '../../../exchange/exchange-types.ts';
import { requireJson } from '../../../headers/media-type.ts';
import { createLeafReader, type LeafReader } from './read-leaf.ts';

/** What the calls of the wallet work on. */
export interface WalletCallParts {
  readonly basePath: string;
  readonly trees: Pick<DevelopmentTrees, 'enroll' | 'inclusionProof'>;
  readonly apps: Pick<AppStore, 'list'>;
  /** How far the development circuit is. */
  readonly circuit: () => Promise<CircuitStatus>;
}

/** Path below that of `baseUrl` where pages ask how far the development circuit is. */
export const CIRCUIT_STATUS_PATH = '/wallet/api/circuit';
const BODY_LIMIT_BYTES = 1024;
/** Apps that the form of the page offers; the id of another one can be typed. */
const MAX_APPS = 500;

/**
 * What the wallet page asks its own service for (spec/sign-in.md#development-wallet). No CORS: a page of
 * another origin gets nothing.
 */
export function walletCallRoutes({ basePath, trees, apps, circuit }: WalletCallParts): Route[] {
  const leaf = createLeafReader();
  const base = `${basePath}/wallet/api`;
  return [
    enrollRoute(base, leaf, trees),
    inclusionProofRoute(base, leaf, trees),
    appsRoute(base, apps),
    circuitRoute(basePath, circuit),
  ];
}

/** `POST …/enroll`: appends a commitment to a development tree; one that is there already stays where it is. */
function enrollRoute(base: string, leaf: LeafReader, trees: WalletCallParts['trees']): Route {
  return {
    method: 'POST',
    path: `${base}/enroll`,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    renderError: renderSigninError,
    async handler({ headers, body }) {
      // Also keeps foreign pages out: with this type a browser asks first, and the answer allows nothing.
      requireJson(headers);
      const { tree, commitment } = leaf.fromBody(body);
      const { index, root } = await trees.enroll(tree, commitment);
      return json({ tree, index, root: toHex(root) });
    },
  };
}

/** `GET …/inclusion-proof?tree=…&commitment=…`: where a commitment stands, against the current root. */
function inclusionProofRoute(base: string, leaf: LeafReader, trees: WalletCallParts['trees']): Route {
  return {
    method: 'GET',
    path: `${base}/inclusion-proof`,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    async handler({ query }) {
      const { tree, commitment } = leaf.fromQuery(query);
      const proof = await trees.inclusionProof(tree, commitment);
      if (proof === undefined) throw new ServiceError('wallet.not_enrolled');
      return json({
        root: toHex(proof.root),
        index: proof.index,
        siblings: proof.siblings.map(toHex),
        path_indices: proof.pathIndices,
      });
    },
  };
}

/** `GET …/apps`: the apps that a proof can be made for, by name. */
function appsRoute(base: string, apps: WalletCallParts['apps']): Route {
  return {
    method: 'GET',
    path: `${base}/apps`,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    async handler() {
      const usable = (await apps.list()).filter(
        ({ status, verification }) => status === 'active' && verification === 'registered',
      );
      const offered = usable.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_APPS);
      return json({ apps: offered.map(({ appId, name, rpId }) => ({ app_id: appId, name, rp_id: rpId })) });
    },
  };
}

/** `GET …/circuit`: whether proofs can be made, for pages that wait for it. */
function circuitRoute(basePath: string, circuit: WalletCallParts['circuit']): Route {
  return {
    method: 'GET',
    path: `${basePath}${CIRCUIT_STATUS_PATH}`,
    bodyLimitBytes: 0,
    renderError: renderSigninError,
    handler: async () => json(await circuit()),
  };
}

function json(value: unknown): HttpResponse {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify(value),
  };
}

import type { DevelopmentTrees } from '../../../../development/trees.ts';
import { ServiceError } from '../../../../errors/service-error.ts';
import type { CircuitStatus } from '../../../../pages.ts';
import { toHex } from '../../../../semaphore/hex.ts';
import type { AppStore } from '../../../../storage/apps/apps.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { HttpResponse, Route } from '../../../exchange/exchange-types.ts';
import { requireJson } from '../../../headers/request-headers.ts';
import { createLeafReader, type LeafReader } from './read-leaf.ts';
import { worldId4AnswerRoute } from './worldid4-answer.ts';
import { type WorldId4ProofParts, worldId4ProofRoute } from './worldid4-proof.ts';

/** Parts of the service that the calls of the wallet need. */
export interface WalletCallParts {
  readonly basePath: string;
  readonly trees: Pick<DevelopmentTrees, 'enroll' | 'inclusionProof'>;
  readonly apps: Pick<AppStore, 'list'>;
  /** Returns the build status of the development circuit. */
  readonly circuit: () => Promise<CircuitStatus>;
  /** Undefined while World ID 4.0 is switched off. */
  readonly worldId4: WorldId4ProofParts | undefined;
}

/** Path, below that of `baseUrl`, of the build status of the development circuit. */
export const CIRCUIT_STATUS_PATH = '/wallet/api/circuit';
/** Largest body of a call. */
export const BODY_LIMIT_BYTES = 1024;
/** Largest number of apps that the form of the page offers; ids of other apps can be entered. */
const MAX_APPS = 500;

/**
 * Builds the routes that the wallet page calls on its own service (spec/sign-in.md#development-wallet). No
 * CORS: pages of other origins cannot read the answers.
 */
export function walletCallRoutes({ basePath, trees, apps, circuit, worldId4 }: WalletCallParts): Route[] {
  const leaf = createLeafReader();
  const base = `${basePath}/wallet/api`;
  return [
    enrollRoute(base, leaf, trees),
    inclusionProofRoute(base, leaf, trees),
    appsRoute(base, apps),
    circuitRoute(basePath, circuit),
    ...(worldId4 === undefined
      ? []
      : [worldId4ProofRoute(base, worldId4), worldId4AnswerRoute(base, worldId4)]),
  ];
}

/** Builds `POST …/enroll`, which appends a commitment to a development tree; idempotent per commitment. */
function enrollRoute(base: string, leaf: LeafReader, trees: WalletCallParts['trees']): Route {
  return {
    method: 'POST',
    path: `${base}/enroll`,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    renderError: renderSigninError,
    async handler({ headers, body }) {
      // This also blocks pages of other origins: the type makes browsers send a preflight, which allows nothing.
      requireJson(headers);
      const { tree, commitment } = leaf.fromBody(body);
      const { index, root } = await trees.enroll(tree, commitment);
      return json({ tree, index, root: toHex(root) });
    },
  };
}

/**
 * Builds `GET …/inclusion-proof?tree=…&commitment=…`: the position of a commitment, and its path to the
 * current root.
 */
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

/** Builds `GET …/apps`: the apps for which proofs can be verified, sorted by name. */
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

/** Builds `GET …/circuit`, which pages poll until proofs can be made. */
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

/** Kinds of contracts that publish roots. */
export type ContractKind = 'identity-manager' | 'bridged' | 'registry4';

/** Environments of roots. */
export type SourceEnvironment = 'production' | 'staging';

/** Trees of roots. */
export const SOURCE_TREES = ['orb', 'device', 'document', 'secure_document', 'face', 'account'] as const;
/** A tree of roots. */
export type SourceTree = (typeof SOURCE_TREES)[number];

/** Chains for which providers can be configured. */
export type ChainName =
  | 'ethereum'
  | 'sepolia'
  | 'worldchain'
  | 'worldchainSepolia'
  | 'optimism'
  | 'optimismSepolia'
  | 'polygon'
  | 'base'
  | 'baseSepolia'
  | 'custom';

/** Id of each chain that is known by name. */
export const CHAIN_IDS: Readonly<Record<Exclude<ChainName, 'custom'>, number>> = {
  ethereum: 1,
  sepolia: 11_155_111,
  worldchain: 480,
  worldchainSepolia: 4801,
  optimism: 10,
  optimismSepolia: 11_155_420,
  polygon: 137,
  base: 8453,
  baseSepolia: 84_532,
};

/** Contract that publishes the roots of a tree on a chain. */
export interface Publication {
  readonly kind: ContractKind;
  readonly environment: SourceEnvironment;
  readonly tree: SourceTree;
  readonly chain: ChainName;
  readonly chainId: number;
  /** Addresses with the checksum of EIP-55. */
  readonly contract: string;
  readonly startBlock?: number;
  readonly issuers?: string;
  readonly oprfKeys?: string;
  readonly verifier?: string;
}

const REGISTRY4 = { kind: 'registry4', tree: 'account', chain: 'worldchain', chainId: 480 } as const;

function manager(
  environment: SourceEnvironment,
  tree: SourceTree,
  chain: keyof typeof CHAIN_IDS,
  contract: string,
  startBlock: number,
): Publication {
  return {
    kind: 'identity-manager',
    environment,
    tree,
    chain,
    chainId: CHAIN_IDS[chain],
    contract,
    startBlock,
  };
}

function bridge(
  environment: SourceEnvironment,
  chain: keyof typeof CHAIN_IDS,
  contract: string,
): Publication {
  return { kind: 'bridged', environment, tree: 'orb', chain, chainId: CHAIN_IDS[chain], contract };
}

/** Publications by the name of their preset. Rules and origin: spec/roots.md#presets. */
export const PRESETS: Readonly<Record<string, Publication>> = {
  'worldid3-ethereum': manager(
    'production',
    'orb',
    'ethereum',
    '0xf7134CE138832c1456F2a91D64621eE90c2bddEa',
    17_636_832,
  ),
  'worldid3-document': manager(
    'production',
    'document',
    'ethereum',
    '0x5FB49f5B63421BD43C72f3a9D23547E977c63285',
    20_880_090,
  ),
  'worldid3-secure-document': manager(
    'production',
    'secure_document',
    'ethereum',
    '0xD9f2A4fff0c1909272eA9b393613dCB2a27b1137',
    20_964_610,
  ),
  'worldid3-sepolia': manager(
    'staging',
    'orb',
    'sepolia',
    '0xb2EaD588f14e69266d1b87936b75325181377076',
    6_441_678,
  ),
  'worldid3-sepolia-secure-document': manager(
    'staging',
    'secure_document',
    'sepolia',
    '0x0670d1d62448FAf470644Eb95aFD0d5BffC34643',
    6_874_202,
  ),
  'worldid3-worldchain': bridge('production', 'worldchain', '0xdFCa0A882eF7793485B3d052142B60647E82009E'),
  'worldid3-optimism': bridge('production', 'optimism', '0xB3E7771a6e2d7DD8C0666042B7a07C39b938eb7d'),
  'worldid3-polygon': bridge('production', 'polygon', '0xa6d85F3b3bE6Ff6DC52C3aaBe9A35d0ce252b79F'),
  'worldid3-worldchain-sepolia': bridge(
    'staging',
    'worldchainSepolia',
    '0xE177F37AF0A862A02edFEa4F59C02668E9d0aAA4',
  ),
  'worldid3-optimism-sepolia': bridge(
    'staging',
    'optimismSepolia',
    '0xf07d3efadD82A1F0b4C5Cc3476806d9a170147Ba',
  ),
  'worldid3-base-sepolia': bridge('staging', 'baseSepolia', '0x163b09b4fE21177c455D850BD815B6D583732432'),
  'worldid4-production': {
    ...REGISTRY4,
    environment: 'production',
    contract: '0x0000000000aE079eB8a274cD51c0f44a9E4d67d4',
    issuers: '0x941239840F4d9668da8be76b568e836b50685d2c',
    oprfKeys: '0x0D8b461799474207A3d223553d4d5e6609cb0c69',
    verifier: '0x00000000009E00F9FE82CfeeBB4556686da094d7',
  },
  'worldid4-staging': {
    ...REGISTRY4,
    environment: 'staging',
    contract: '0x8556d07D75025f286fe757C7EeEceC40D54FA16D',
    issuers: '0x9037125Ae10e9E89fDbe7001228289462EFA3eF3',
    oprfKeys: '0xb2C02253ee7bFEDF50F5D015658857099980E91F',
    verifier: '0x703a6316c975DEabF30b637c155edD53e24657DB',
  },
};

/**
 * Known answers that every backend must reproduce before it takes work. Sources, copied as bytes: the
 * depth-30 key of circuits/semaphore-depth30 in the word order of a proof; entries 0, 1 and 2 of
 * test/vectors/semaphore-proofs.json; width 3 of `poseidon2` and row 0 of `eddsa` in
 * test/vectors/credential-vectors.json. test/engine/self-test/self-test.test.ts derives them again from these
 * files and compares; it derives the point outside G2 from its x.
 */
const bytes = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );

/** A verifying key with four inputs. */
export const KEY: Uint8Array = bytes(
  '2d4d9aa7e302d9df41749d5507949d05dbea33fbb16c643b22f599a2be6df2e214bedd503c37ceb061d8ec60209fe345' +
    'ce89830a19230301f076caff004d19260967032fcbf776d1afc985f88877f182d38480a653f2decaa9794cbc3bf3060c' +
    '0e187847ad4c798374d0d6732bf501847dd68bc0e071241e0213bc7fc13db7ab304cfbd1e08a704a99f5e847d93f8c3c' +
    'aafddec46b7a0d379da69a4d112346a71739c1b1a457a8c7313123d24d2f9192f896b7c63eea05a9d57f06547ad0cec8' +
    '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479' +
    '674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b' +
    '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa168e4fddac50a40d5bcff39c7fa9207c' +
    'd368444c0c01a86690a6645b52f3aa1f2139a256456825daa623957c4f2ea1a0d26f135769e450759142a7159b0a4476' +
    '28deba4ed0a3b79dbc6a7dac67c07051f421904de49dcd7ae91aaf1223bc6d631c3976c9a490dad50e601586279bb60f' +
    '12416a8cc141710167fcdc0dc931bffd0335f514c2acb9b255aae85514122267cd7d16e374c6231a2c34417d34491254' +
    '07fa1580c1cc3ed4f6d660c6f60f86afedd8a12fb90b2e8ed4f7e310c88b97f720b781dd0db3b7980a4b3814128c86e5' +
    '97e1442d0fc9eb7f932a5229494d6b7917d1cef436eb2f665670c7b34854e62c227043a7b111a539c0295518bbab3ca9' +
    '260945445b4205f874ab7e203a18240e51c9d3c896ea300d40132b1c2f50299a11087a8b76b0f957e1c482c909302916' +
    '795f811a06866059e403689c01c903fb11d20fd81c0e5cf48ba1469ccb8ac99dcdc7cf746a6e70762a939d63dcc52dbf' +
    '2d447c5f134eff527d7bcaace88b3842c42b800d8dc049e0a6e72f5efc14293d107cd54a1606a6a873bed4c1b76af489' +
    '75e66dcf6c127b4c799ad4fdd230b87c1a51b81f6c07725ebcc56ebb1c482b99340eaa9bcb86cc09aed6f58a28e530b6',
);

/** A valid proof under `KEY` for `INPUTS`. */
export const PROOF: Uint8Array = bytes(
  '15f5b2def7184b6a31edcee5eadb09333866d351591a6d87c827f7ba53fd64f301c8fbf45fb08e184aeeabcd4aadcaf7' +
    '080b96a023ecd651c26f984002c004b20d94f647bbbc2a266afcd24471362bd80975927faf52fa01de1eea8cb6925133' +
    '2d3198cfa094e2910a6023761089830d12f77d9c19086db759251004f4c5e6dc17a93aeac55b42ceb0bf52b3f95111d1' +
    '31839a24afad6814f4d7e46d1216cb6d042ab3f47d465062288135c1a91e567d2b767bfc830e7aa657b0ca196aac8867' +
    '0c040fd0278a548c6e6cefd65cf544fba81b55d40bb1ba8e82a32965ac17de690c60700cf5761fa90c11460cb46f41f6' +
    '6376e1b978f173066398d990f8c21fba',
);

/** Root, nullifier hash, signal hash, external nullifier hash. */
export const INPUTS: Uint8Array = bytes(
  '01e8d342ba80dc9bab6939e99a188dc614c0b92b09b9693a4dd9d9677bbd1bf52aa975196dc1f4f9f57b8195bea9c613' +
    '31e0012ec25484ed569782c49145721a00e9707d0e6171f728f7473c24cc0432a9b07eaaf1efed6a137a4a8c12c79552' +
    '004f1617ddf8957cc626011c09601b2049fa22eca97897c24c188b432a0b6955',
);

/** Another valid proof under `KEY`. */
export const SECOND: { readonly proof: Uint8Array; readonly inputs: Uint8Array } = {
  proof: bytes(
    '1eef0990c59b6985413ba1589afb6a6b673a4723ea3215923850b89c61aceeee2748da443e3fdf161456b05cb82bc2e6' +
      'f1ace9e67cdaf76732ff9bf31e6b82b724d7c33a4998f4cd2d1c9f2c90a249910be0aa23b882c9756371769d1af1923d' +
      '0509d6791ff17c3604425a4a113b5103c014c8f724edc649f1417e56b6cdb4422896c0d5492652ebb1e001016431ae45' +
      '7b58361b5b6cbea25565236362f06fae098cf3493c1c299313672ebd85fde41607261491e3cc57dea51ee7951b47020b' +
      '21b73fceef2b8fb59c6f5f0302dffa36f9ec01319a257f20052b83f2d7a3232c22f5d0600fb036a5b8d2a3d6d92a3c04' +
      '3b665510d97bf9020510b5f9c692a9a5',
  ),
  inputs: bytes(
    '05628ccef5b585f9a5afb764d22835f2c71b10beb4b212e45ec9e4d0354c97642aa975196dc1f4f9f57b8195bea9c613' +
      '31e0012ec25484ed569782c49145721a00e9707d0e6171f728f7473c24cc0432a9b07eaaf1efed6a137a4a8c12c79552' +
      '004f1617ddf8957cc626011c09601b2049fa22eca97897c24c188b432a0b6955',
  ),
};

/** A third valid proof under `KEY`, compressed, without the four zero words. */
export const THIRD: { readonly compressed: Uint8Array; readonly inputs: Uint8Array } = {
  compressed: bytes(
    '1770aa3a584ed11e9d706574aed76845727a1b17a9d7466e3f75d2ca03a6e786036e0ec923131768555b221fbf01dcad' +
      'c8a045a3a4467c342c44e9ebaf8e6b4c9abcb2001fc4bb14592ab526aa7ce5db7863a12a33dc56ff5e98143dad6016e9' +
      '2102c010a512bec8f15a9d7e6861143d1523f7fc1cd91e4d94ac75dee7d0d16d',
  ),
  inputs: bytes(
    '24ff3b33a36656135c9aaf8efa6a98c6f3237d3c806988942ef48f5adffd129014fecf6d83b46742082ab5bd6026e8bf' +
      'd1366137d61cd03f2c8f215eabfa776400d464f74cdce282ffcf01409aa9100b5dd4b1d297dd2e62da59077ced7962ed' +
      '0051b03cfaa882d53f9b8861a8c27e24b28e948477e24186beb4ae27b285f560',
  ),
};

/** A point of the twist outside G2, in the word order of a proof: x = 2 + u. */
export const OUTSIDE_G2: Uint8Array = bytes(
  '000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000' +
    '000000000000000000000000000000022b76c179599bb92a963dac85546a005a777f7c13f6a7b75d5918b6b5808f5fde' +
    '101f7278419308b95099eca02dcee0c5381f4d26d1d62313f057167f064101ce',
);

/** The Poseidon2 permutation of (0, 1, 2). */
export const POSEIDON2_OF_COUNTING: Uint8Array = bytes(
  '0bb61d24daca55eebcb1929a82650f328134334da98ea4f847f760054f4a3033303b6f7c86d043bfcbcc80214f26a302' +
    '77a15d3f74ca654992defe7ff8d035701ed25194542b12eef8617361c3ba7c52e660b145994427cc86296242cf766ec8',
);

/** An EdDSA-Poseidon2 seed (public: it is in the vectors), its key, a message and its signature. */
export const EDDSA: {
  readonly seed: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
} = {
  seed: bytes('6134613764336231653266363062396338643565316632613362346335643665'),
  publicKey: bytes('655f136ea28c6b3a394c1c6d6bba9d8dd2a596952231b2e5ae17d6c90a525a00'),
  message: bytes('1935899fbda2b75e9b311b6f4c4269bddf550efc4e5fe1003d1b4f0a4b4605c5'),
  signature: bytes(
    'd0e47c040a43e84d169720cc9b29d897d70e4cd2c8e02457a312e7bf0085a68d115e9c3c9e7b591df017c54b020b9778' +
      'f95ed42604b331e985ead190a24c2203',
  ),
};

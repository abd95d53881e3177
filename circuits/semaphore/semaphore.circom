pragma circom 2.1.6;

include "circomlib/circuits/poseidon.circom";

// One level of the Merkle path: the parent of `node` and `sibling`. pathBit 0 says that the node is the left child,
// 1 that it is the right one; any other value has no witness.
template MerkleLevel() {
    signal input node;
    signal input sibling;
    signal input pathBit;
    signal output parent;

    pathBit * (pathBit - 1) === 0;
    signal shift <== pathBit * (sibling - node);
    parent <== Poseidon(2)([node + shift, sibling - shift]);
}

// "I know an identity whose commitment is a leaf of the tree with this root, and this nullifier hash is its own under
// this external nullifier." Public signals, in this order: root, nullifierHash, signalHash, externalNullifier.
template Semaphore(depth) {
    signal input identityNullifier;
    signal input identityTrapdoor;
    signal input treePathIndices[depth];
    signal input treeSiblings[depth];

    signal input signalHash;
    signal input externalNullifier;

    signal output root;
    signal output nullifierHash;

    signal secret <== Poseidon(2)([identityNullifier, identityTrapdoor]);
    signal commitment <== Poseidon(1)([secret]);

    signal node[depth + 1];
    node[0] <== commitment;
    for (var level = 0; level < depth; level++) {
        node[level + 1] <== MerkleLevel()(node[level], treeSiblings[level], treePathIndices[level]);
    }
    root <== node[depth];
    nullifierHash <== Poseidon(2)([externalNullifier, identityNullifier]);

    // A public input that no constraint touches could be exchanged in a finished proof without breaking it.
    signal signalHashSquared <== signalHash * signalHash;
}

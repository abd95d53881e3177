// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// World ID 4.0: registry of accounts, of issuers and of OPRF keys, and the getters of the verifier, as far as they are
/// read; anyone may change them.
contract WorldIdRegistry {
    event RootRecorded(uint256 indexed root, uint256 timestamp);
    event IssuerSchemaRegistered(uint64 indexed issuerSchemaId, Point pubkey, address signer, uint160 oprfKeyId);
    event IssuerSchemaPubkeyUpdated(uint64 indexed issuerSchemaId, Point oldPubkey, Point newPubkey);
    event IssuerSchemaRemoved(uint64 indexed issuerSchemaId, Point pubkey, address signer);
    event SecretGenFinalize(uint160 indexed oprfKeyId, uint32 indexed epoch);
    event KeyDeletion(uint160 indexed oprfKeyId);

    error UnknownId(uint160 id);
    error DeletedId(uint160 id);

    struct Point {
        uint256 x;
        uint256 y;
    }

    uint256 public getLatestRoot;
    uint256 public getRootValidityWindow = 3600;
    uint256 public getTreeDepth = 30;
    uint256 public getMinExpirationThreshold = 18000;
    address public getVerifier;
    mapping(uint256 => uint256) public getRootTimestamp;
    mapping(uint256 => uint256) private supersededAt;
    mapping(uint64 => Point) public issuerSchemaIdToPubkey;
    mapping(uint160 => Point) private oprfKeys;
    mapping(uint160 => bool) private isDeleted;

    function record(uint256 root) external {
        supersededAt[getLatestRoot] = block.timestamp;
        getLatestRoot = root;
        getRootTimestamp[root] = block.timestamp;
        emit RootRecorded(root, block.timestamp);
    }

    function setIssuer(uint64 id, Point calldata pubkey) external {
        Point memory before = issuerSchemaIdToPubkey[id];
        issuerSchemaIdToPubkey[id] = pubkey;
        if (pubkey.x == 0) emit IssuerSchemaRemoved(id, before, msg.sender);
        else if (before.x == 0) emit IssuerSchemaRegistered(id, pubkey, msg.sender, 0);
        else emit IssuerSchemaPubkeyUpdated(id, before, pubkey);
    }

    function setOprfKey(uint160 id, Point calldata key) external {
        oprfKeys[id] = key;
        isDeleted[id] = false;
        emit SecretGenFinalize(id, 0);
    }

    function deleteOprfKey(uint160 id) external {
        delete oprfKeys[id];
        isDeleted[id] = true;
        emit KeyDeletion(id);
    }

    function setVerifier(address verifier) external {
        getVerifier = verifier;
    }

    function getOprfPublicKey(uint160 id) external view returns (Point memory) {
        if (isDeleted[id]) revert DeletedId(id);
        if (oprfKeys[id].x == 0) revert UnknownId(id);
        return oprfKeys[id];
    }

    function getWorldIDRegistry() external view returns (address) {
        return address(this);
    }

    function getCredentialSchemaIssuerRegistry() external view returns (address) {
        return address(this);
    }

    function getOprfKeyRegistry() external view returns (address) {
        return address(this);
    }

    /// For the window after the root was superseded.
    function isValidRoot(uint256 root) external view returns (bool) {
        if (root == getLatestRoot) return true;
        return getRootTimestamp[root] != 0 && block.timestamp <= supersededAt[root] + getRootValidityWindow;
    }
}

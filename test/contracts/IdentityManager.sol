// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// World ID 3.0 identity manager, as far as roots are read from it; anyone may change the root.
contract IdentityManager {
    event TreeChanged(uint256 indexed preRoot, uint8 indexed kind, uint256 indexed postRoot);

    struct RootInfo {
        uint256 root;
        uint128 supersededTimestamp;
        bool isValid;
    }

    uint256 public latestRoot;
    uint256 public getRootHistoryExpiry = 3600;
    uint8 public getTreeDepth = 30;
    mapping(uint256 => uint128) private supersededAt;

    constructor(uint256 firstRoot) {
        latestRoot = firstRoot;
    }

    /// kind: 0 insertion, 1 deletion
    function change(uint256 root, uint8 kind) external {
        _change(root, kind);
    }

    /// Several insertions in one transaction.
    function insertAll(uint256[] calldata roots) external {
        for (uint256 i = 0; i < roots.length; i++) _change(roots[i], 0);
    }

    function setTreeDepth(uint8 depth) external {
        getTreeDepth = depth;
    }

    function queryRoot(uint256 root) external view returns (RootInfo memory) {
        if (root == latestRoot) return RootInfo(root, 0, true);
        uint128 superseded = supersededAt[root];
        if (superseded == 0) return RootInfo(0, 0, false);
        return RootInfo(root, superseded, block.timestamp - superseded <= getRootHistoryExpiry);
    }

    function _change(uint256 root, uint8 kind) private {
        uint256 before = latestRoot;
        supersededAt[before] = uint128(block.timestamp);
        latestRoot = root;
        emit TreeChanged(before, kind, root);
    }
}

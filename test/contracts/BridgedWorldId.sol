// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// World ID 3.0 on another chain, as far as roots are read from it; anyone may add a root.
contract BridgedWorldId {
    event RootAdded(uint256 root, uint128 timestamp);

    error NoRootsSeen();

    uint256 public rootHistoryExpiry = 604800;
    mapping(uint256 => uint128) public rootHistory;
    uint256 private latest;

    function add(uint256 root) external {
        require(rootHistory[root] == 0, "known");
        rootHistory[root] = uint128(block.timestamp);
        latest = root;
        emit RootAdded(root, uint128(block.timestamp));
    }

    function latestRoot() external view returns (uint256) {
        if (latest == 0) revert NoRootsSeen();
        return latest;
    }
}

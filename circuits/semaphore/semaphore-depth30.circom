pragma circom 2.1.6;

include "semaphore.circom";

component main { public [signalHash, externalNullifier] } = Semaphore(30);

//! The committed keys and third-party proofs.

use serde_json::Value;

use super::{decimal, hex};

/// One third-party proof with its inputs.
pub struct RealProof {
    /// Depth of the tree, which names the key.
    pub depth: String,
    /// 256 bytes.
    pub proof: [u8; 256],
    /// The compressed proof, padded with zeros, if the data has it.
    pub compressed: Option<[u8; 256]>,
    /// Four words: root, nullifier, signal, external nullifier.
    pub inputs: Vec<u8>,
}

fn json(path: &str) -> Value {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the file is part of the repository");
    serde_json::from_str(&text).expect("JSON")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().expect("a text")
}

/// All 72 proofs of the data.
pub fn real_proofs() -> Vec<RealProof> {
    ["semaphore-proofs.json", "semaphore-proofs-bulk.json"]
        .iter()
        .flat_map(|name| {
            json(&format!("test/vectors/{name}"))
                .as_array()
                .expect("an array")
                .iter()
                .map(real_proof)
                .collect::<Vec<_>>()
        })
        .collect()
}

fn real_proof(entry: &Value) -> RealProof {
    let compressed = entry["proof_compressed"].as_array().map(|words| {
        let mut bytes: Vec<u8> = words
            .iter()
            .flat_map(|word| hex(word.as_str().expect("a text")))
            .collect();
        bytes.resize(256, 0);
        bytes.try_into().expect("four words and zeros")
    });
    let fields = [
        "merkle_root",
        "nullifier_hash",
        "signal_hash",
        "external_nullifier_hash",
    ];
    RealProof {
        depth: entry["depth"].to_string(),
        proof: hex(text(entry, "proof")).try_into().expect("256 bytes"),
        compressed,
        inputs: fields
            .iter()
            .flat_map(|field| hex(text(entry, field)))
            .collect(),
    }
}

/// The bytes of the public Semaphore key of a depth.
pub fn semaphore_key(depth: &str) -> Vec<u8> {
    let key = json(&format!(
        "circuits/semaphore-depth{depth}/verification-key.json"
    ));
    let g1 =
        |point: &Value| [&point[0], &point[1]].map(|word| decimal(word.as_str().expect("a text")));
    let g2 = |point: &Value| {
        [&point[0][1], &point[0][0], &point[1][1], &point[1][0]]
            .map(|word| decimal(word.as_str().expect("a text")))
    };
    let mut bytes = g1(&key["vk_alpha_1"]).concat();
    for name in ["vk_beta_2", "vk_gamma_2", "vk_delta_2"] {
        bytes.extend(g2(&key[name]).concat());
    }
    for point in key["IC"].as_array().expect("an array") {
        bytes.extend(g1(point).concat());
    }
    bytes
}

//! Prints keys and proofs of Groth16 over BN254 in every form that arkworks writes, as one JSON document.

mod circuits;

use ark_bn254::{Bn254, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_groth16::{Groth16, Proof};
use ark_serialize::CanonicalSerialize;
use ark_snark::SNARK;
use circuits::{Example, EXAMPLES};
use rand::rngs::OsRng;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

type Made<T> = Result<T, Box<dyn std::error::Error>>;

/// One value in hex of both binary forms.
#[derive(Serialize)]
struct Forms {
    compressed: String,
    uncompressed: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProofForms {
    signals: Vec<String>,
    /// `Vec<Fr>`; both forms are equal.
    signal_bytes: String,
    /// Whether y of A, B and C is the larger root.
    y_is_larger: [bool; 3],
    #[serde(flatten)]
    forms: Forms,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CircuitForms {
    name: &'static str,
    key: Forms,
    /// What follows the key in a prepared key; equal in both forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    prepared_tail: Option<String>,
    proofs: Vec<ProofForms>,
}

#[derive(Serialize)]
struct Document {
    tool: &'static str,
    version: String,
    circuits: Vec<CircuitForms>,
    points: BTreeMap<&'static str, Forms>,
}

fn main() -> Made<()> {
    let document = Document {
        tool: "arkworks",
        version: locked_version("ark-groth16").ok_or("Cargo.lock names no ark-groth16")?,
        circuits: EXAMPLES.iter().map(make).collect::<Made<_>>()?,
        points: points()?,
    };
    println!("{}", serde_json::to_string_pretty(&document)?);
    Ok(())
}

fn make(example: &Example) -> Made<CircuitForms> {
    let (proving_key, key) =
        Groth16::<Bn254>::circuit_specific_setup(example.circuit(1), &mut OsRng)?;
    let prepared = Groth16::<Bn254>::process_vk(&key)?;
    let mut proofs = Vec::new();
    let mut seen = HashSet::new();
    let mut secret = 1;
    // Without a number, until each combination of signs of y has occurred.
    while example
        .proofs
        .map_or(seen.len() < 8, |count| proofs.len() < count)
    {
        let circuit = example.circuit(secret);
        secret += 1;
        let signals = circuit.signals();
        let proof = Groth16::<Bn254>::prove(&proving_key, circuit, &mut OsRng)?;
        if !Groth16::<Bn254>::verify_with_processed_vk(&prepared, &signals, &proof)? {
            return Err("arkworks refuses its own proof".into());
        }
        let y_is_larger = signs(&proof);
        if !seen.insert(y_is_larger) && example.proofs.is_none() {
            continue;
        }
        proofs.push(ProofForms {
            signals: signals.iter().map(ToString::to_string).collect(),
            signal_bytes: forms(&signals)?.compressed,
            y_is_larger,
            forms: forms(&proof)?,
        });
    }
    let prepared_tail = if example.has_prepared {
        Some(tail(&forms(&prepared)?, &forms(&key)?)?)
    } else {
        None
    };
    Ok(CircuitForms {
        name: example.name,
        key: forms(&key)?,
        prepared_tail,
        proofs,
    })
}

fn tail(prepared: &Forms, key: &Forms) -> Made<String> {
    let compressed = prepared.compressed.strip_prefix(&key.compressed);
    let uncompressed = prepared.uncompressed.strip_prefix(&key.uncompressed);
    match (compressed, uncompressed) {
        (Some(first), Some(second)) if first == second => Ok(first.to_owned()),
        _ => Err("a prepared key is no longer a key and a tail that is equal in both forms".into()),
    }
}

/// By the order of arkworks: of Fq as integers, of Fq2 by `c1`, then `c0`.
fn signs(proof: &Proof<Bn254>) -> [bool; 3] {
    [
        proof.a.y > -proof.a.y,
        proof.b.y > -proof.b.y,
        proof.c.y > -proof.c.y,
    ]
}

/// Single points: what has no other example in a key or a proof.
fn points() -> Made<BTreeMap<&'static str, Forms>> {
    let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
    Ok(BTreeMap::from([
        ("g1", forms(&g1)?),
        ("g1Negated", forms(&-g1)?),
        ("g1AtInfinity", forms(&G1Affine::identity())?),
        ("g2", forms(&g2)?),
        ("g2Negated", forms(&-g2)?),
        ("g2AtInfinity", forms(&G2Affine::identity())?),
    ]))
}

fn forms(value: &impl CanonicalSerialize) -> Made<Forms> {
    let (mut compressed, mut uncompressed) = (Vec::new(), Vec::new());
    value.serialize_compressed(&mut compressed)?;
    value.serialize_uncompressed(&mut uncompressed)?;
    Ok(Forms {
        compressed: hex(&compressed),
        uncompressed: hex(&uncompressed),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn locked_version(name: &str) -> Option<String> {
    let after = include_str!("../Cargo.lock")
        .split_once(&format!("name = \"{name}\"\nversion = \""))?
        .1;
    Some(after.split_once('"')?.0.to_owned())
}

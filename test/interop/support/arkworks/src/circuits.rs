//! Small circuits with one and with three public inputs.

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, Field};
use ark_relations::lc;
use ark_relations::r1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError};

/// A circuit, and how many proofs of it are made; without a number, one of each combination of signs.
pub struct Example {
    pub name: &'static str,
    pub proofs: Option<usize>,
    /// Whether its prepared key is printed, too, which is long.
    pub has_prepared: bool,
    factors: fn(Fr) -> Vec<Fr>,
}

impl Example {
    /// The circuit with this secret, which is not 0.
    pub fn circuit(&self, secret: u64) -> Circuit {
        let secret = Fr::from(secret);
        Circuit {
            secret,
            factors: (self.factors)(secret),
        }
    }
}

/// All examples. The public inputs are the square of the secret, then -1 and 0.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "one",
        proofs: None,
        has_prepared: true,
        factors: |secret| vec![secret],
    },
    Example {
        name: "three",
        proofs: Some(2),
        has_prepared: false,
        factors: |secret| vec![secret, -secret.inverse().unwrap_or(Fr::ZERO), Fr::ZERO],
    },
];

/// A secret with further ones, whose products with it are public.
pub struct Circuit {
    secret: Fr,
    factors: Vec<Fr>,
}

impl Circuit {
    /// The public inputs, in order.
    pub fn signals(&self) -> Vec<Fr> {
        self.factors
            .iter()
            .map(|factor| self.secret * factor)
            .collect()
    }
}

impl ConstraintSynthesizer<Fr> for Circuit {
    fn generate_constraints(self, system: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let secret = system.new_witness_variable(|| Ok(self.secret))?;
        for factor in self.factors {
            let product = system.new_input_variable(|| Ok(self.secret * factor))?;
            let factor = system.new_witness_variable(|| Ok(factor))?;
            system.enforce_constraint(lc!() + secret, lc!() + factor, lc!() + product)?;
        }
        Ok(())
    }
}

//! Small circuits with one and with three public inputs.

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, Field};
use ark_relations::lc;
use ark_relations::r1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, SynthesisError, Variable,
};

/// A circuit, and how many proofs of it are made; without a number, one of each combination of signs.
pub struct Example {
    pub name: &'static str,
    pub proofs: Option<usize>,
    /// Whether its prepared key is printed, too, which is long.
    pub has_prepared: bool,
    statement: fn(Fr) -> Vec<Statement>,
}

impl Example {
    /// The circuit with this secret.
    pub fn circuit(&self, secret: u64) -> Circuit {
        // Negative, so that signals of many and of few digits occur.
        let secret = -Fr::from(secret);
        Circuit {
            secret,
            statements: (self.statement)(secret),
        }
    }
}

/// `secret * left = public`, or `secret * public = 1`.
pub enum Statement {
    Product { left: Fr, public: Fr },
    Inverse { public: Fr },
}

/// All examples.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "one",
        proofs: None,
        has_prepared: true,
        statement: |secret| vec![square(secret)],
    },
    Example {
        name: "three",
        proofs: Some(2),
        has_prepared: false,
        statement: |secret| {
            let inverse = secret.inverse().unwrap_or(Fr::ZERO);
            let zero = Statement::Product {
                left: Fr::ZERO,
                public: Fr::ZERO,
            };
            vec![square(secret), Statement::Inverse { public: inverse }, zero]
        },
    },
];

fn square(secret: Fr) -> Statement {
    Statement::Product {
        left: secret,
        public: secret.square(),
    }
}

/// A secret and what holds of it.
pub struct Circuit {
    secret: Fr,
    statements: Vec<Statement>,
}

impl Circuit {
    /// The public inputs, in order.
    pub fn signals(&self) -> Vec<Fr> {
        let public = |statement: &Statement| match statement {
            Statement::Product { public, .. } | Statement::Inverse { public } => *public,
        };
        self.statements.iter().map(public).collect()
    }
}

impl ConstraintSynthesizer<Fr> for Circuit {
    fn generate_constraints(self, system: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let secret = system.new_witness_variable(|| Ok(self.secret))?;
        for (index, statement) in self.statements.iter().enumerate() {
            let (left, right, product): (LinearCombination<Fr>, _, _) = match *statement {
                Statement::Product { left, public } => {
                    let public = system.new_input_variable(|| Ok(public))?;
                    // The first product is the square; further ones have a factor of their own.
                    let left = match index {
                        0 => secret,
                        _ => system.new_witness_variable(|| Ok(left))?,
                    };
                    (lc!() + left, secret, lc!() + public)
                }
                Statement::Inverse { public } => (
                    lc!() + system.new_input_variable(|| Ok(public))?,
                    secret,
                    lc!() + Variable::One,
                ),
            };
            system.enforce_constraint(left, lc!() + right, product)?;
        }
        Ok(())
    }
}

package main

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/frontend"
)

// A circuit with the members of its public witness.
type example struct {
	name string
	// An empty circuit.
	circuit frontend.Circuit
	// A witness that differs with n.
	assign func(n int64) frontend.Circuit
	// How many proofs; 0 makes proofs until each combination of signs of y has occurred.
	proofs int
}

// One public input: the cube of the secret, plus the secret, plus 5.
type one struct {
	X frontend.Variable
	Y frontend.Variable `gnark:",public"`
}

func (c *one) Define(api frontend.API) error {
	api.AssertIsEqual(c.Y, polynomial(api, c.X))
	return nil
}

// Three public inputs.
type three struct {
	X       frontend.Variable
	Square  frontend.Variable `gnark:",public"`
	Inverse frontend.Variable `gnark:",public"`
	Zero    frontend.Variable `gnark:",public"`
}

func (c *three) Define(api frontend.API) error {
	api.AssertIsEqual(c.Square, api.Mul(c.X, c.X))
	api.AssertIsEqual(api.Mul(c.X, c.Inverse), 1)
	api.AssertIsEqual(c.Zero, api.Mul(c.X, c.Zero))
	return nil
}

// One public input and a Pedersen commitment to the secret.
type committed struct {
	X frontend.Variable
	Y frontend.Variable `gnark:",public"`
}

func (c *committed) Define(api frontend.API) error {
	challenge, err := api.(frontend.Committer).Commit(c.X)
	if err != nil {
		return err
	}
	api.AssertIsDifferent(challenge, c.Y)
	api.AssertIsEqual(c.Y, polynomial(api, c.X))
	return nil
}

// Two public inputs and two commitments: to public inputs and the secret, and to the challenge of the former.
type committedTwice struct {
	X      frontend.Variable
	Y      frontend.Variable `gnark:",public"`
	Square frontend.Variable `gnark:",public"`
}

func (c *committedTwice) Define(api frontend.API) error {
	committer := api.(frontend.Committer)
	first, err := committer.Commit(c.Y, c.X, c.Square)
	if err != nil {
		return err
	}
	second, err := committer.Commit(first, c.Square, c.X)
	if err != nil {
		return err
	}
	api.AssertIsDifferent(first, second)
	api.AssertIsEqual(c.Square, api.Mul(c.X, c.X))
	api.AssertIsEqual(c.Y, polynomial(api, c.X))
	return nil
}

func polynomial(api frontend.API, x frontend.Variable) frontend.Variable {
	return api.Add(api.Mul(x, x, x), x, 5)
}

func polynomialOf(x int64) *big.Int {
	value := big.NewInt(x)
	return value.Add(new(big.Int).Exp(value, big.NewInt(3), nil), big.NewInt(x+5))
}

var examples = []example{
	{name: "one", circuit: &one{}, assign: func(n int64) frontend.Circuit {
		return &one{X: n, Y: polynomialOf(n)}
	}},
	// The first witness has the inverse -1, which gnark's JSON shows as a negative number.
	{name: "three", proofs: 2, circuit: &three{}, assign: func(n int64) frontend.Circuit {
		x := big.NewInt(-n)
		inverse := new(big.Int).ModInverse(x, ecc.BN254.ScalarField())
		return &three{X: x, Square: n * n, Inverse: inverse, Zero: 0}
	}},
	{name: "committed", proofs: 2, circuit: &committed{}, assign: func(n int64) frontend.Circuit {
		return &committed{X: n, Y: polynomialOf(n)}
	}},
	{name: "committed-twice", proofs: 2, circuit: &committedTwice{}, assign: func(n int64) frontend.Circuit {
		return &committedTwice{X: n, Y: polynomialOf(n), Square: n * n}
	}},
}

package main

import (
	"errors"
	"math/big"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
)

const (
	proofBytes       = 256
	keyBytesBeforeIC = 64 + 3*128
	trialCalls       = 20
)

var errRefused = errors.New("refused")

// lines are the coefficients of one fixed point of G2, in the shape of gnark-crypto.
type lines = [2][len(bn254.LoopCounter)]bn254.LineEvaluationAff

// verifier holds a key with e(α,β) and the line coefficients of −γ and −δ.
type verifier struct {
	alphaBeta   bn254.GT
	minusGamma  bn254.G2Affine
	minusDelta  bn254.G2Affine
	gammaLines  lines
	deltaLines  lines
	ic          []bn254.G1Affine
	product     product
	productName string
}

// points are those of e(A,B) · e(L,−γ) · e(C,−δ) = e(α,β).
type points struct {
	a, c, l bn254.G1Affine
	b       bn254.G2Affine
}

// A product gives the three Miller loops of a proof before the final exponentiation.
type product func(*verifier, *points) (bn254.GT, error)

// The ways in which gnark-crypto can share work between the loops. Its fixed loop overwrites the lines it is given,
// hence the copies.
var products = []struct {
	name string
	run  product
}{
	{"one loop, no prepared lines", func(v *verifier, p *points) (bn254.GT, error) {
		return bn254.MillerLoop(
			[]bn254.G1Affine{p.a, p.l, p.c}, []bn254.G2Affine{p.b, v.minusGamma, v.minusDelta})
	}},
	{"one loop, lines of B made on the way", func(v *verifier, p *points) (bn254.GT, error) {
		return bn254.MillerLoopFixedQ(
			[]bn254.G1Affine{p.a, p.l, p.c},
			[]lines{bn254.PrecomputeLines(p.b), v.gammaLines, v.deltaLines})
	}},
	{"two loops, prepared lines of the key", func(v *verifier, p *points) (bn254.GT, error) {
		proof, err := bn254.MillerLoop([]bn254.G1Affine{p.a}, []bn254.G2Affine{p.b})
		if err != nil {
			return proof, err
		}
		fixed, err := bn254.MillerLoopFixedQ(
			[]bn254.G1Affine{p.l, p.c}, []lines{v.gammaLines, v.deltaLines})
		proof.Mul(&proof, &fixed)
		return proof, err
	}},
}

// decodeG1 reads 64 bytes, x then y; every coordinate below p, the point on the curve. The cofactor of G1 is 1.
func decodeG1(bytes []byte) (p bn254.G1Affine, err error) {
	if p.X, err = fp.BigEndian.Element((*[32]byte)(bytes)); err != nil {
		return p, err
	}
	if p.Y, err = fp.BigEndian.Element((*[32]byte)(bytes[32:])); err != nil {
		return p, err
	}
	if !p.IsOnCurve() {
		return p, errRefused
	}
	return p, nil
}

// decodeG2 reads 128 bytes, x then y, c1 before c0 in each; on the twist and of order r.
func decodeG2(bytes []byte) (p bn254.G2Affine, err error) {
	for i, target := range []*fp.Element{&p.X.A1, &p.X.A0, &p.Y.A1, &p.Y.A0} {
		if *target, err = fp.BigEndian.Element((*[32]byte)(bytes[32*i:])); err != nil {
			return p, err
		}
	}
	// Looks at the curve equation, too.
	if !p.IsInSubGroup() {
		return p, errRefused
	}
	return p, nil
}

// newVerifier takes α(64) ‖ β(128) ‖ γ(128) ‖ δ(128) ‖ IC₀..ICₙ (64 each).
func newVerifier(bytes []byte) (*verifier, error) {
	if len(bytes) < keyBytesBeforeIC+64 || len(bytes)%64 != 0 {
		return nil, errors.New("the key has another length")
	}
	v := &verifier{product: products[0].run, productName: products[0].name}
	alpha, err := decodeG1(bytes)
	if err != nil {
		return nil, err
	}
	var fixed [3]bn254.G2Affine
	for i := range fixed {
		if fixed[i], err = decodeG2(bytes[64+128*i:]); err != nil {
			return nil, err
		}
	}
	for at := keyBytesBeforeIC; at < len(bytes); at += 64 {
		point, err := decodeG1(bytes[at:])
		if err != nil {
			return nil, err
		}
		v.ic = append(v.ic, point)
	}
	v.minusGamma.Neg(&fixed[1])
	v.minusDelta.Neg(&fixed[2])
	v.gammaLines = bn254.PrecomputeLines(v.minusGamma)
	v.deltaLines = bn254.PrecomputeLines(v.minusDelta)
	v.alphaBeta, err = bn254.Pair([]bn254.G1Affine{alpha}, []bn254.G2Affine{fixed[0]})
	return v, err
}

// memberBytes is the length of a proof with its inputs: A(64) ‖ B(128) ‖ C(64) ‖ 32 for each input.
func (v *verifier) memberBytes() int { return proofBytes + 32*(len(v.ic)-1) }

// verify does the full check: decoding, range, curve and subgroup, Σ xᵢICᵢ, pairing product.
func (v *verifier) verify(member []byte) (isValid bool, err error) {
	var p points
	if p.a, err = decodeG1(member); err != nil {
		return false, err
	}
	if p.b, err = decodeG2(member[64:]); err != nil {
		return false, err
	}
	if p.c, err = decodeG1(member[192:]); err != nil {
		return false, err
	}
	var sum, term bn254.G1Jac
	sum.FromAffine(&v.ic[0])
	for i, ic := range v.ic[1:] {
		x, err := fr.BigEndian.Element((*[32]byte)(member[proofBytes+32*i:]))
		if err != nil {
			return false, err
		}
		term.FromAffine(&ic)
		term.ScalarMultiplication(&term, x.BigInt(new(big.Int)))
		sum.AddAssign(&term)
	}
	p.l.FromJacobian(&sum)
	loops, err := v.product(v, &p)
	if err != nil {
		return false, err
	}
	result := bn254.FinalExponentiation(&loops)
	return result.Equal(&v.alphaBeta), nil
}

// chooseProduct keeps the product that is the fastest here, by the least time of some checks of the member each.
func (v *verifier) chooseProduct(member []byte) {
	least := make([]time.Duration, len(products))
	for round := 0; round < trialCalls; round++ {
		for i, candidate := range products {
			v.product = candidate.run
			began := time.Now()
			_, _ = v.verify(member)
			if spent := time.Since(began); round == 0 || spent < least[i] {
				least[i] = spent
			}
		}
	}
	best := 0
	for i := range least {
		if least[i] < least[best] {
			best = i
		}
	}
	v.product, v.productName = products[best].run, products[best].name
}

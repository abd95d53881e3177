// Prints keys and proofs of Groth16 over BN254 in every form that gnark writes, as one JSON document.
package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"reflect"
	"runtime/debug"

	"github.com/consensys/gnark-crypto/ecc"
	curve "github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fp"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/backend"
	"github.com/consensys/gnark/backend/groth16"
	bn254 "github.com/consensys/gnark/backend/groth16/bn254"
	"github.com/consensys/gnark/backend/solidity"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/logger"
)

// One value: encoding/json of the Go struct, and hex of both binary forms.
type forms struct {
	JSON       json.RawMessage `json:"json"`
	Raw        string          `json:"raw"`
	Compressed string          `json:"compressed"`
}

type proofForms struct {
	Signals []string `json:"signals"`
	Witness struct {
		JSON   json.RawMessage `json:"json"`
		Binary string          `json:"binary"`
	} `json:"witness"`
	// Whether y of A, B and C is the larger root.
	YIsLarger [3]bool `json:"yIsLarger"`
	// How a commitment is hashed to the scalar field; without commitments, the proof does not depend on it.
	CommitmentHash string `json:"commitmentHash,omitempty"`
	forms
	Solidity string `json:"solidity"`
}

type circuitForms struct {
	Name        string       `json:"name"`
	Commitments int          `json:"commitments"`
	Key         forms        `json:"key"`
	Proofs      []proofForms `json:"proofs"`
}

type document struct {
	Tool     string           `json:"tool"`
	Version  string           `json:"version"`
	Circuits []circuitForms   `json:"circuits"`
	Points   map[string]forms `json:"points"`
}

type writable interface {
	WriteTo(w io.Writer) (int64, error)
	WriteRawTo(w io.Writer) (int64, error)
}

// commitmentHash is a way in which prover and verifier may hash commitments.
type commitmentHash struct {
	name   string
	prove  []backend.ProverOption
	verify []backend.VerifierOption
}

var (
	ownHash      = commitmentHash{name: "expand_message_xmd"}
	solidityHash = commitmentHash{
		name:   "keccak256",
		prove:  []backend.ProverOption{solidity.WithProverTargetSolidityVerifier(backend.GROTH16)},
		verify: []backend.VerifierOption{solidity.WithVerifierTargetSolidityVerifier(backend.GROTH16)},
	}
)

func main() {
	logger.Disable()
	made := document{Tool: "gnark", Version: version(), Points: points()}
	for _, each := range examples {
		made.Circuits = append(made.Circuits, formsOfCircuit(each))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	check(encoder.Encode(made))
}

func formsOfCircuit(from example) circuitForms {
	system, err := frontend.Compile(ecc.BN254.ScalarField(), r1cs.NewBuilder, from.circuit)
	check(err)
	provingKey, key, err := groth16.Setup(system)
	check(err)
	made := circuitForms{
		Name:        from.name,
		Commitments: len(key.(*bn254.VerifyingKey).CommitmentKeys),
		Key:         formsOf(key),
	}
	hashes := []commitmentHash{ownHash}
	if made.Commitments > 0 {
		hashes = append(hashes, solidityHash)
	}
	seen := map[[3]bool]bool{}
	for n := int64(1); from.proofs == 0 && len(seen) < 8 || len(made.Proofs) < from.proofs*len(hashes); n++ {
		for _, hash := range hashes {
			proof := prove(system, provingKey, key, from, n, hash)
			if made.Commitments == 0 {
				proof.CommitmentHash = ""
			}
			if from.proofs == 0 && seen[proof.YIsLarger] {
				continue
			}
			seen[proof.YIsLarger] = true
			made.Proofs = append(made.Proofs, proof)
		}
	}
	return made
}

func prove(
	system constraint.ConstraintSystem, provingKey groth16.ProvingKey, key groth16.VerifyingKey,
	from example, n int64, hash commitmentHash,
) (made proofForms) {
	witness, err := frontend.NewWitness(from.assign(n), ecc.BN254.ScalarField())
	check(err)
	public, err := witness.Public()
	check(err)
	proof, err := groth16.Prove(system, provingKey, witness, hash.prove...)
	check(err)
	check(groth16.Verify(proof, key, public, hash.verify...))

	for _, signal := range public.Vector().(fr.Vector) {
		made.Signals = append(made.Signals, signal.BigInt(new(big.Int)).String())
	}
	schema, err := frontend.NewSchema(ecc.BN254.ScalarField(), from.circuit)
	check(err)
	made.Witness.JSON, err = public.ToJSON(schema)
	check(err)
	binary, err := public.MarshalBinary()
	check(err)
	made.Witness.Binary = hex.EncodeToString(binary)
	points := proof.(*bn254.Proof)
	made.YIsLarger = [3]bool{
		points.Ar.Y.LexicographicallyLargest(),
		points.Bs.Y.LexicographicallyLargest(),
		points.Krs.Y.LexicographicallyLargest(),
	}
	made.CommitmentHash = hash.name
	made.forms = formsOf(proof)
	made.Solidity = hex.EncodeToString(points.MarshalSolidity())
	return made
}

// Single points: what has no other example in a key or a proof.
func points() map[string]forms {
	_, _, g1, g2 := curve.Generators()
	var negated1 curve.G1Affine
	var negated2 curve.G2Affine
	negated1.Neg(&g1)
	negated2.Neg(&g2)
	return map[string]forms{
		"g1":           pointForms(g1, g1.RawBytes(), g1.Bytes()),
		"g1Negated":    pointForms(negated1, negated1.RawBytes(), negated1.Bytes()),
		"g1AtInfinity": pointForms(curve.G1Affine{}, new(curve.G1Affine).RawBytes(), new(curve.G1Affine).Bytes()),
		"g1LargestX":   g1LargestX(),
		"g2":           pointForms(g2, g2.RawBytes(), g2.Bytes()),
		"g2Negated":    pointForms(negated2, negated2.RawBytes(), negated2.Bytes()),
		"g2AtInfinity": pointForms(curve.G2Affine{}, new(curve.G2Affine).RawBytes(), new(curve.G2Affine).Bytes()),
	}
}

// The point with the largest x, which gnark's JSON shows as a small negative number.
func g1LargestX() forms {
	var three fp.Element
	three.SetUint64(3)
	for n := uint64(1); ; n++ {
		var point curve.G1Affine
		point.X.SetUint64(n)
		point.X.Neg(&point.X)
		var right fp.Element
		right.Square(&point.X).Mul(&right, &point.X).Add(&right, &three) // y² = x³ + 3
		if point.Y.Sqrt(&right) != nil {
			return pointForms(point, point.RawBytes(), point.Bytes())
		}
	}
}

func pointForms(point any, raw any, compressed any) forms {
	text, err := json.Marshal(addressable(point))
	check(err)
	return forms{JSON: text, Raw: fmt.Sprintf("%x", raw), Compressed: fmt.Sprintf("%x", compressed)}
}

// Numbers are written by a method of a pointer.
func addressable(value any) any {
	pointer := reflect.New(reflect.TypeOf(value))
	pointer.Elem().Set(reflect.ValueOf(value))
	return pointer.Interface()
}

func formsOf(value writable) forms {
	text, err := json.Marshal(value)
	check(err)
	var raw, compressed bytes.Buffer
	_, err = value.WriteRawTo(&raw)
	check(err)
	_, err = value.WriteTo(&compressed)
	check(err)
	return forms{JSON: text, Raw: hex.EncodeToString(raw.Bytes()), Compressed: hex.EncodeToString(compressed.Bytes())}
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/consensys/gnark" {
			return module.Version
		}
	}
	return "unknown"
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

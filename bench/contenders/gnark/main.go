// gnark-crypto as a contender of the benchmark. Reads commands line by line and answers each with one line:
//
//	key HEX     ok; the verifying key is prepared
//	proof HEX   1 holds, 0 does not, - refused; the member is kept
//	time CALLS  nanoseconds of processor time of CALLS checks, over the members that hold, in turn
//
// Anything else, and a time without a member that holds, is answered "error" and a reason.
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const longestLine = 1 << 20

var errNoKey = errors.New("the key comes first")

// session holds the key and the members that hold under it.
type session struct {
	verifier *verifier
	valid    [][]byte
}

// processorNanos is the processor time of the whole process, the collector included.
func processorNanos() (int64, error) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now)
	return now.Nano(), err
}

func (s *session) key(text string) (string, error) {
	bytes, err := hex.DecodeString(text)
	if err != nil {
		return "", err
	}
	s.valid = nil
	s.verifier, err = newVerifier(bytes)
	return "ok", err
}

func (s *session) proof(text string) (string, error) {
	if s.verifier == nil {
		return "", errNoKey
	}
	member, err := hex.DecodeString(text)
	if err != nil {
		return "", err
	}
	if len(member) != s.verifier.memberBytes() {
		return "", errors.New("the proof has another length")
	}
	isValid, err := s.verifier.verify(member)
	if err != nil {
		return "-", nil
	}
	if !isValid {
		return "0", nil
	}
	s.valid = append(s.valid, member)
	if len(s.valid) == 1 {
		s.verifier.chooseProduct(member)
	}
	return "1", nil
}

func (s *session) time(text string) (string, error) {
	if s.verifier == nil {
		return "", errNoKey
	}
	calls, err := strconv.Atoi(text)
	if err != nil {
		return "", err
	}
	if len(s.valid) == 0 {
		return "", errors.New("no proof holds")
	}
	// One check that does not count: others used the caches since the last command.
	if _, err = s.verifier.verify(s.valid[0]); err != nil {
		return "", err
	}
	began, err := processorNanos()
	if err != nil {
		return "", err
	}
	for i := 0; i < calls; i++ {
		if isValid, err := s.verifier.verify(s.valid[i%len(s.valid)]); err != nil || !isValid {
			return "", errors.New("a verdict changed")
		}
	}
	ended, err := processorNanos()
	return strconv.FormatInt(ended-began, 10), err
}

func main() {
	runtime.GOMAXPROCS(1)
	var state session
	commands := map[string]func(string) (string, error){
		"key": state.key, "proof": state.proof, "time": state.time,
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		name, argument, _ := strings.Cut(lines.Text(), " ")
		command, isKnown := commands[name]
		if !isKnown {
			fmt.Println("error no such command")
			continue
		}
		answer, err := command(argument)
		if err != nil {
			answer = "error " + err.Error()
		}
		fmt.Println(answer)
	}
}

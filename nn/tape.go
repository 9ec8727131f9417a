package nn

import (
	"unsafe"

	G "gorgonia.org/gorgonia"
)

// runTape does what vm.RunAll does, but on the calling goroutine. RunAll locks the calling
// goroutine to its thread and computes on another, so a step requires two thread switches. They
// take 0.3 ms when all cores are busy, as long as a small batch. See
// docs/decisions/0008-run-the-tape-in-place.md.
func runTape(vm G.VM) error {
	failed, done := make(chan error, 1), make(chan struct{}, 1)
	tape := (*struct{ typ, value unsafe.Pointer })(unsafe.Pointer(&vm)).value // of the interface
	runall(tape, failed, done)
	select {
	case err := <-failed:
		return err
	case <-done:
		return nil
	}
}

// runall executes the instructions from the program counter on, and sends one value to one of the
// channels.
//
//go:linkname runall gorgonia.org/gorgonia.(*tapeMachine).runall
func runall(tape unsafe.Pointer, failed chan error, done chan struct{})

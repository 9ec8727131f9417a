package kernel

import (
	"fmt"
	"os"
)

// CheckEnvironment returns an error if LETHE_KERNEL names kernels that do not exist, or that this
// processor or this build of the program does not support.
func CheckEnvironment() error {
	const variable = "LETHE_KERNEL"
	switch name := os.Getenv(variable); name {
	case "", Name():
		return nil
	case "generic", "avx2", "avx512":
		if Name() == "openblas" { // the variable does not affect its products
			return nil
		}
		return fmt.Errorf("%s is %s, which this processor does not support: %s is in use", variable, name, Name())
	default:
		return fmt.Errorf("%s is %q, not generic, avx2 or avx512", variable, name)
	}
}

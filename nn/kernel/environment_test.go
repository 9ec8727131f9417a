package kernel

import "testing"

// TestUnknownKernel: a kernel that does not exist, or that this processor lacks, used to be
// replaced silently by another.
func TestUnknownKernel(t *testing.T) {
	for _, known := range []string{"", Name()} {
		t.Setenv("LETHE_KERNEL", known)
		if err := CheckEnvironment(); err != nil && Name() != "openblas" {
			t.Errorf("%q: %v", known, err)
		}
	}
	for _, wrong := range []string{"typo", "AVX2"} {
		t.Setenv("LETHE_KERNEL", wrong)
		if CheckEnvironment() == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	for _, other := range []string{"generic", "avx2", "avx512"} { // choose uses another one, as if the processor did not support it
		t.Setenv("LETHE_KERNEL", other)
		if err := CheckEnvironment(); Name() != "openblas" && (err == nil) != (other == Name()) {
			t.Errorf("%s, where %s is in use: %v", other, Name(), err)
		}
	}
}
